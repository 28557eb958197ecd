/** What stands in place of the window while it has no way in. */
import type { ReactNode } from "react";
import icon from "../../assets/icon.svg";
import { RichText, useWords } from "../i18n/language.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { commands } from "../parts/commands.ts";
import { SourceHint } from "../parts/source-hint.tsx";
import type { Why } from "../stores/session.ts";
import parts from "../styles/parts.module.css";
import styles from "./closed.module.css";

export function ClosedPage({ why }: { readonly why: Why }) {
  const words = useWords();
  return (
    <Card title={<RichText of="closed.title" fill={{ command: <code>{commands.window}</code> }} />}>
      <p>{words.text(`closed.${why}`)}</p>
      <p>{words.text("closed.step")}</p>
      <CommandLine command={commands.window} />
      <SourceHint />
    </Card>
  );
}

export function UnreachablePage({ onRetry }: { readonly onRetry: () => void }) {
  const words = useWords();
  return (
    <Card title={words.text("unreachable.title")}>
      <p role="alert">{words.text("unreachable.body")}</p>
      <CommandLine command={commands.serve} />
      <SourceHint />
      <button type="button" className={parts.primary} onClick={onRetry}>
        {words.text("action.retry")}
      </button>
    </Card>
  );
}

interface CardProps {
  readonly title: ReactNode;
  readonly children: ReactNode;
}

function Card({ title, children }: CardProps) {
  return (
    <main className={styles.card}>
      <img src={icon} alt="" width="48" height="48" />
      <h1>{title}</h1>
      {children}
    </main>
  );
}
