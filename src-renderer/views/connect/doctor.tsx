/** Every link from Cursor to a model, really tried: what is so, and what to do. */
import { useState } from "react";
import type { Finding } from "../../../src-main/contract/cursor.ts";
import { useFrame } from "../../frame/frame.ts";
import { RichText, useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph, type Tone } from "../../parts/glyph.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import parts from "../../styles/parts.module.css";
import { useAttempt } from "../use-attempt.ts";
import { Card } from "./card.tsx";
import styles from "./connect.module.css";

const tones: { readonly [V in Finding["verdict"]]: Tone } = {
  good: "ok",
  doubtful: "warn",
  broken: "err",
  unknown: "off",
};

const elementsOf = (fill: Finding["fill"]) =>
  Object.fromEntries(Object.entries(fill).map(([name, text]) => [name, <Foreign key={name} text={text} />]));

export function Doctor() {
  const words = useWords();
  const { client } = useFrame().stores;
  const { isAtWork, error, run } = useAttempt();
  const [checked, setChecked] = useState<{
    readonly atMs: number;
    readonly findings: readonly Finding[];
  } | null>(null);
  const check = async () => {
    const findings = await client.call("doctor.run", null);
    setChecked({ atMs: Date.now(), findings });
  };
  const broken = checked?.findings.filter(({ verdict }) => verdict === "broken").length ?? 0;
  return (
    <Card
      title={words.text("doctor.title")}
      about={words.text("doctor.about")}
      tone={checked === null ? "off" : broken > 0 ? "err" : "ok"}
      state={
        checked === null
          ? words.text("doctor.never")
          : `${words.plural("doctor.broken", broken)} · ${words.time(checked.atMs, Date.now())}`
      }
    >
      {checked && (
        <ul className={styles.findings}>
          {checked.findings.map(({ link, verdict, code, fill }) => (
            <li key={`${link}${code}`}>
              <Glyph tone={tones[verdict]} />
              <strong>{words.text(`doctor.${link}`)}</strong>
              <span>
                <span className={parts.unseen}>{words.text(`doctor.is.${verdict}`)}: </span>
                <RichText of={`finding.${code}`} fill={elementsOf(fill)} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {error !== null && <Sentence text={error} />}
      <div className={styles.buttons}>
        <button type="button" className={parts.button} disabled={isAtWork} onClick={() => run(check)}>
          {words.text(isAtWork ? "doctor.checking" : checked ? "doctor.again" : "doctor.check")}
        </button>
      </div>
    </Card>
  );
}
