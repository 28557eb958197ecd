/** Shown when the program answers, but not with its state. */
import { useStore } from "zustand";
import { useWords } from "../../i18n/language.tsx";
import { Failure } from "../../parts/panel.tsx";
import type { Stores } from "../../stores/stores.ts";

export function StatusFailure({ status }: Pick<Stores, "status">) {
  const words = useWords();
  const state = useStore(status.store);
  if (state.type !== "failed") return null;
  return (
    <Failure title={words.text("health.failed")} message={state.message} onRetry={() => void status.load()} />
  );
}
