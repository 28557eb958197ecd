/** Puts a text on the clipboard, and says whether that worked. */
import { useEffect, useState } from "react";
import { useWords } from "../i18n/language.tsx";
import styles from "../styles/parts.module.css";

interface CopyButtonProps {
  /** A function where making it costs something. */
  readonly text: string | (() => string);
  /** In place of "Copy". */
  readonly label?: string;
  /** What is copied, where "Copy" alone would be ambiguous. */
  readonly name?: string;
}

type Outcome = "copied" | "copyFailed";

export function CopyButton({ text, name, label }: CopyButtonProps) {
  const words = useWords();
  const [outcome, setOutcome] = useState<Outcome | null>(null);

  useEffect(() => {
    if (outcome !== "copied") return;
    const timer = setTimeout(() => setOutcome(null), 2000);
    return () => clearTimeout(timer);
  }, [outcome]);

  const copy = () =>
    void navigator.clipboard.writeText(typeof text === "string" ? text : text()).then(
      () => setOutcome("copied"),
      () => setOutcome("copyFailed"),
    );

  return (
    <span className={styles.copy}>
      <button type="button" className={styles.button} aria-label={name} onClick={copy}>
        {label ?? words.text("action.copy")}
      </button>
      <span role="status" className={outcome === null ? undefined : styles.outcome}>
        {outcome && words.text(`action.${outcome}`)}
      </span>
    </span>
  );
}
