/** Help that needs no network and is as old as the program: how it works, and what to do when it does not. */

import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import { hashOf } from "../../stores/route.ts";
import styles from "./help.module.css";

const questions = [
  "what",
  "key",
  "account",
  "refused",
  "rate",
  "nothing",
  "slow",
  "cost",
  "delete",
  "report",
] as const;

export function HelpPage() {
  const words = useWords();
  return (
    <Page title={words.text("nav.help")}>
      <p className={styles.lead}>{words.text("help.lead")}</p>
      <ol className={styles.steps}>
        <li>
          <a href={hashOf({ page: "channels", id: null })}>{words.text("help.step.channel")}</a>
        </li>
        <li>
          <a href={hashOf({ page: "connect", id: null })}>{words.text("help.step.key")}</a>
        </li>
        <li>{words.text("help.step.ask")}</li>
      </ol>
      {questions.map((name) => (
        <details key={name} className={styles.question}>
          <summary>{words.text(`help.${name}`)}</summary>
          <p>{words.text(`help.${name}.answer`)}</p>
        </details>
      ))}
    </Page>
  );
}
