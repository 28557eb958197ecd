/** The last requests to models, newest first, each with what it cost in time and tokens, or why it failed. */
import type { ReactNode } from "react";
import type { CallView, UsageView } from "../../src-main/contract.ts";
import { useWords } from "../i18n/language.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Glyph } from "../parts/glyph.tsx";
import { Sentence } from "../parts/sentence.tsx";
import { inputOf, speedOf } from "../stores/calls.ts";
import styles from "../styles/calls.module.css";
import parts from "../styles/parts.module.css";
import { callStates } from "./call-states.ts";

const columns = ["time", "channel", "model", "status", "firstToken", "input", "output", "speed"] as const;

export function CallTable({ list }: { readonly list: readonly CallView[] }) {
  const words = useWords();
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column} scope="col" data-column={column}>
              {words.text(`calls.${column}`)}
            </th>
          ))}
        </tr>
      </thead>
      {list.map((call) => (
        <CallRow key={call.callId} call={call} />
      ))}
    </table>
  );
}

function CallRow({ call }: { readonly call: CallView }) {
  const words = useWords();
  const { plannedMs, channelName, model, firstTokenMs, usage, error } = call;
  const speed = speedOf(call);
  return (
    <tbody>
      <tr>
        <Cell column="time">
          <time dateTime={new Date(plannedMs).toISOString()}>{words.time(plannedMs, Date.now())}</time>
        </Cell>
        <Cell column="channel">
          <Foreign text={channelName} />
        </Cell>
        <Cell column="model">
          <Foreign text={model} />
        </Cell>
        <Cell column="status">
          <CallState call={call} />
        </Cell>
        <Cell column="firstToken">{firstTokenMs === null ? null : words.duration(firstTokenMs)}</Cell>
        <Cell column="input">{usage && <Input usage={usage} />}</Cell>
        <Cell column="output">{usage && words.number(usage.output)}</Cell>
        <Cell column="speed">{speed === null ? null : words.number(speed)}</Cell>
      </tr>
      {error !== null && (
        <tr className={styles.error}>
          <td colSpan={columns.length}>
            <Sentence text={error} />
          </td>
        </tr>
      )}
    </tbody>
  );
}

interface CellProps {
  readonly column: (typeof columns)[number];
  /** null: not known, or not yet. */
  readonly children: ReactNode;
}

/** Carries its column's title, for windows too narrow for columns. */
function Cell({ column, children }: CellProps) {
  const words = useWords();
  return (
    <td data-column={column} data-title={words.text(`calls.${column}`)}>
      {children ?? (
        <>
          <span aria-hidden="true">–</span>
          <span className={parts.unseen}>{words.text("calls.unknown")}</span>
        </>
      )}
    </td>
  );
}

function CallState({ call: { status, tries } }: { readonly call: CallView }) {
  const words = useWords();
  const { tone, text } = callStates[status];
  return (
    <>
      <span className={styles.state} data-tone={tone}>
        <Glyph tone={tone} />
        {words.text(text)}
      </span>
      {tries > 1 && <small>{words.plural("calls.tries", tries)}</small>}
    </>
  );
}

function Input({ usage }: { readonly usage: UsageView }) {
  const words = useWords();
  const input = inputOf(usage);
  return (
    <>
      {words.number(input)}
      {usage.cached > 0 && (
        <small>{words.text("calls.cached", { share: words.percent(usage.cached / input) })}</small>
      )}
    </>
  );
}
