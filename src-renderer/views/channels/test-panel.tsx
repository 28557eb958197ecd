/** Four small real requests over the very way that a run takes: each with how it went and what came. */
import { useStore } from "zustand";
import type { ChannelView, TestRow } from "../../../src-main/contract/channels.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph, type Tone } from "../../parts/glyph.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { Coloured } from "../../parts/text/code.tsx";
import parts from "../../styles/parts.module.css";
import { saidOf } from "../failures.ts";
import styles from "./test-panel.module.css";
import { verdictOf } from "./verdict.ts";

const tones: { readonly [S in TestRow["state"]]: Tone } = { ok: "ok", failed: "err", skipped: "off" };
const waiting = ["reach", "text", "tool", "image"] as const;

interface TestPanelProps {
  readonly channel: ChannelView;
  readonly isDirty: boolean;
  readonly onSave: () => Promise<boolean>;
}

export function TestPanel({ channel, isDirty, onSave }: TestPanelProps) {
  const words = useWords();
  const { channels } = useFrame().stores;
  const test = useStore(channels.tests, (tests) => tests[channel.id]);
  const isRunning = test?.type === "running";
  const run = async () => {
    if (isDirty && !(await onSave())) return;
    await channels.test(channel.id);
  };
  return (
    <section className={styles.test} aria-label={words.text("test.title")}>
      <div className={styles.head}>
        <h3>{words.text("test.title")}</h3>
        <Last channel={channel} />
        <button type="button" className={parts.button} aria-disabled={isRunning} onClick={() => void run()}>
          {words.text(isDirty ? "test.saveAndRun" : "test.run")}
        </button>
      </div>
      <p className={parts.hint}>{words.text("channels.test.cost")}</p>
      {test?.type === "failed" && <Sentence text={test.message} />}
      {isRunning && (
        <ol className={styles.rows} aria-busy="true">
          {waiting.map((name) => (
            <li key={name}>
              <Glyph tone="busy" />
              <strong>{words.text(`test.${name}`)}</strong>
              <span>{words.text("channels.test.running")}</span>
            </li>
          ))}
        </ol>
      )}
      {test?.type === "done" && (
        <ol className={styles.rows}>
          {test.result.rows.map((row) => (
            <Row key={row.name} row={row} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Last({ channel }: { readonly channel: ChannelView }) {
  const words = useWords();
  const test = useStore(useFrame().stores.channels.tests, (tests) => tests[channel.id]);
  const { tone, text, atMs } = verdictOf(channel, test);
  return (
    <span role="status" className={styles.last} data-tone={tone}>
      {words.text(text)}
      {atMs !== null && ` · ${words.moment(atMs, Date.now())}`}
      {test?.type === "done" &&
        test.result.firstTokenMs !== null &&
        ` · ${words.text("test.first", { duration: words.duration(test.result.firstTokenMs) })}`}
    </span>
  );
}

function Row({ row: { name, state, code, message, ms, answer } }: { readonly row: TestRow }) {
  const words = useWords();
  return (
    <li data-state={state}>
      <Glyph tone={tones[state]} />
      <strong>{words.text(`test.${name}`)}</strong>
      <span>
        {words.text(saidOf(code))}
        {state === "failed" && code !== "no_call" && (
          <small className={styles.quoted}>
            <Foreign text={message} />
          </small>
        )}
      </span>
      {state !== "skipped" && <small>{words.duration(ms)}</small>}
      {answer !== null && (
        <details>
          <summary>{words.text("test.answer")}</summary>
          <Coloured text={answer} language="" />
        </details>
      )}
    </li>
  );
}
