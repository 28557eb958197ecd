/** Asks whoever leaves with changes what is to become of them. */
import { useEffect, useState } from "react";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import type { Route } from "../../stores/route.ts";
import parts from "../../styles/parts.module.css";

interface LeavingDialogProps {
  readonly isDirty: boolean;
  /** false: it could not be saved. */
  readonly onSave: () => Promise<boolean>;
}

export function LeavingDialog({ isDirty, onSave }: LeavingDialogProps) {
  const words = useWords();
  const { route } = useFrame();
  const [to, setTo] = useState<Route | null>(null);
  useEffect(() => {
    if (!isDirty) return;
    route.guard((wanted) => {
      setTo(wanted);
      return false;
    });
    return () => route.guard(null);
  }, [isDirty, route]);
  if (to === null) return null;
  const stay = () => setTo(null);
  const leave = () => {
    route.guard(null);
    route.go(to.page, to.id);
  };
  const save = async () => {
    stay();
    if (await onSave()) route.go(to.page, to.id);
  };
  return (
    <Dialog
      title={words.text("leaving.title")}
      onClose={stay}
      actions={
        <>
          <button type="button" className={parts.button} onClick={stay}>
            {words.text("leaving.stay")}
          </button>
          <button type="button" className={parts.danger} onClick={leave}>
            {words.text("form.discard")}
          </button>
          <button type="button" className={parts.primary} onClick={() => void save()}>
            {words.text("action.save")}
          </button>
        </>
      }
    >
      <p>{words.text("leaving.body")}</p>
    </Dialog>
  );
}
