/** The bottom of the window: facts one looks for now and then. */
import { useStore } from "zustand";
import type { Status } from "../../src-main/contract/program.ts";
import { RichText, useWords } from "../i18n/language.tsx";
import { Foreign } from "../parts/foreign.tsx";
import type { Shadow } from "../stores/shadow.ts";
import styles from "./frame.module.css";

export function StatusBar({ status }: { readonly status: Shadow<Status, Status> }) {
  const words = useWords();
  const state = useStore(status.store);
  if (state.type !== "loaded") return <footer className={styles.footer} />;
  const { version, startedMs, sealer, dataDir, newer } = state.value;
  return (
    <footer className={styles.footer}>
      <span>{words.text("footer.version", { version })}</span>
      {newer !== null && <a href="#/settings/about">{words.text("updates.newer", { version: newer })}</a>}
      <span>{words.text("footer.since", { time: words.time(startedMs, Date.now()) })}</span>
      <span>
        <RichText of="footer.dataDir" fill={{ path: <Foreign text={dataDir} /> }} />
      </span>
      {sealer === "key-file" && <span>{words.text("footer.keyFile")}</span>}
    </footer>
  );
}
