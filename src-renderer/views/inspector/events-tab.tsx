/** Side by side: the line that a provider sent, what we made of it, and what Cursor was told. */
import { useState } from "react";
import type { SampleEvent, SampleView } from "../../../src-main/contract/calls.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Coloured } from "../../parts/text/code.tsx";
import styles from "./detail.module.css";
import { Timeline } from "./timeline.tsx";

const shownText = 200;

export function EventsTab({ sample }: { readonly sample: SampleView }) {
  const words = useWords();
  const { events, over } = sample;
  const rows = rowsOf(sample);
  return (
    <>
      <Timeline sample={sample} />
      <div className={styles.wide}>
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">{words.text("events.ms")}</th>
              <th scope="col">{words.text("events.upstream")}</th>
              <th scope="col">{words.text("events.event")}</th>
              <th scope="col">{words.text("events.cursor")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a recording only grows at its end
              <EventRow key={at} row={row} />
            ))}
          </tbody>
        </table>
      </div>
      {events.length === 0 && <p className={styles.nothing}>{words.text("events.none")}</p>}
      {over.events > 0 && <p className={styles.over}>{words.plural("events.over", over.events)}</p>}
    </>
  );
}

interface Row {
  readonly event: SampleEvent;
  readonly lines: readonly string[];
  readonly frames: readonly string[];
}

/** Each event with the lines since the one before it, and the messages that followed it. */
function rowsOf({ events, lines, frames }: SampleView): readonly Row[] {
  let from = 0;
  return events.map((event, at) => {
    const next = events[at + 1];
    const ownEnd = event.type.endsWith("_delta") ? Math.max(event.line + 1, next?.line ?? 0) : event.line + 1;
    const to = next ? ownEnd : lines.length;
    const own = lines.slice(from, to).map(({ text }) => text);
    from = Math.max(from, to);
    const told = frames.filter((frame) => frame.direction === "to_client" && frame.event === at);
    return { event, lines: own, frames: told.map(({ kind }) => kind) };
  });
}

function EventRow({ row: { event, lines, frames } }: { readonly row: Row }) {
  const words = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const { type, text, times } = event;
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? first;
  return (
    <tr>
      <td className={styles.number}>{words.number(first)}</td>
      <td>
        {lines.length > 0 && (
          <button
            type="button"
            className={styles.more}
            aria-expanded={isOpen}
            onClick={() => setIsOpen(!isOpen)}
          >
            {words.plural("events.lines", lines.length)}
          </button>
        )}
        {isOpen && <Coloured text={lines.join("\n")} language="" />}
      </td>
      <td>
        <strong data-kind={type.split("_", 1)[0]}>{type}</strong>
        {times.length > 1 && (
          <small>
            {words.text("events.run", {
              n: words.number(times.length),
              duration: words.duration(last - first),
              chars: words.number(text.length),
            })}
          </small>
        )}
        <p className={styles.said}>
          <Foreign text={isOpen ? text : text.slice(0, shownText)} />
          {!isOpen && text.length > shownText && "…"}
        </p>
      </td>
      <td>
        <small>{summed(frames)}</small>
      </td>
    </tr>
  );
}

/** Equal ones that follow each other, counted. */
function summed(kinds: readonly string[]): string {
  const runs: { kind: string; n: number }[] = [];
  for (const kind of kinds) {
    const last = runs.at(-1);
    if (last?.kind === kind) last.n++;
    else runs.push({ kind, n: 1 });
  }
  return runs.map(({ kind, n }) => (n > 1 ? `${kind} ×${n}` : kind)).join(", ");
}
