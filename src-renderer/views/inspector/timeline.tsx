/** When a call's tokens came: waiting, thinking, text and tool calls as bands, each token a tick, gaps as gaps. */
import type { SampleView } from "../../../src-main/contract/calls.ts";
import { useWords } from "../../i18n/language.tsx";
import styles from "./detail.module.css";

const width = 1000;

export function Timeline({ sample }: { readonly sample: SampleView }) {
  const words = useWords();
  const end = Math.max(1, endOf(sample));
  const x = (ms: number) => (ms / end) * width;
  const deltas = sample.events.filter(({ type }) => type.endsWith("_delta"));
  const first = deltas[0]?.times[0] ?? end;
  const answered = sample.response?.ms ?? first;
  return (
    <figure className={styles.timeline}>
      <svg viewBox={`0 0 ${width} 34`} preserveAspectRatio="none" aria-hidden="true">
        <rect data-kind="wait" x="0" y="6" width={x(answered)} height="18" />
        <rect
          data-kind="first"
          x={x(answered)}
          y="6"
          width={Math.max(0, x(first) - x(answered))}
          height="18"
        />
        {deltas.map(({ type, times, line }) => {
          const from = times[0] ?? 0;
          const to = times.at(-1) ?? from;
          return (
            <rect
              key={`${type}${line}${from}`}
              data-kind={type.split("_", 1)[0]}
              x={x(from)}
              y="6"
              width={Math.max(3, x(to) - x(from))}
              height="18"
            />
          );
        })}
        {thinned(deltas.flatMap(({ times }) => times).map(x)).map((at) => (
          <line key={at} x1={at} x2={at} y1="26" y2="33" />
        ))}
      </svg>
      <figcaption>
        {words.text(deltas.length > 0 ? "timeline.caption" : "timeline.noToken", {
          answered: words.duration(answered),
          first: words.duration(first),
          total: words.duration(end),
        })}
      </figcaption>
    </figure>
  );
}

export const endOf = ({ events, lines, response }: SampleView): number =>
  Math.max(response?.ms ?? 0, lines.at(-1)?.ms ?? 0, events.at(-1)?.times.at(-1) ?? 0);

/** No two ticks on one pixel. */
function thinned(places: readonly number[]): readonly number[] {
  return [...new Set(places.map((place) => Math.round(place)))];
}
