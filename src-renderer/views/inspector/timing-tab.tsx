/** Where the time of a call went: a bar and a figure each. */
import type { CallInspection, SampleView } from "../../../src-main/contract/calls.ts";
import { useWords } from "../../i18n/language.tsx";
import { speedOf } from "../../stores/calls.ts";
import styles from "./detail.module.css";
import { endOf } from "./timeline.tsx";

interface TimingTabProps {
  readonly inspection: CallInspection;
  readonly sample: SampleView | null;
}

type PhaseName = "tries" | "waiting" | "thinkingBefore" | "streaming";

interface Phase {
  readonly name: PhaseName;
  readonly fromMs: number;
  readonly toMs: number;
}

export function TimingTab({ inspection, sample }: TimingTabProps) {
  const words = useWords();
  const phases = phasesOf(inspection, sample);
  const end = Math.max(1, ...phases.map(({ toMs }) => toMs));
  const speed = speedOf(inspection.call);
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{words.text("timing.phase")}</th>
            <th scope="col">{words.text("timing.from")}</th>
            <th scope="col">{words.text("timing.took")}</th>
            <th scope="col" className={styles.bars}>
              {words.text("timing.bar")}
            </th>
          </tr>
        </thead>
        <tbody>
          {phases.map(({ name, fromMs, toMs }) => (
            <tr key={name}>
              <th scope="row">{words.text(`timing.${name}`)}</th>
              <td className={styles.number}>{words.duration(fromMs)}</td>
              <td className={styles.number}>{words.duration(toMs - fromMs)}</td>
              <td>
                <svg
                  className={styles.phase}
                  viewBox="0 0 100 10"
                  preserveAspectRatio="none"
                  aria-hidden="true"
                >
                  <rect
                    x={(fromMs / end) * 100}
                    width={Math.max(0.5, ((toMs - fromMs) / end) * 100)}
                    height="10"
                    data-phase={name}
                  />
                </svg>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <p className={styles.facts}>
        {speed !== null && words.text("timing.speed", { speed: words.number(speed) })}
        {longestGap(sample) !== null &&
          ` · ${words.text("timing.gap", { gap: words.duration(longestGap(sample) ?? 0) })}`}
      </p>
    </>
  );
}

/** From the recording where there is one, else from what is stored of every call. */
function phasesOf({ call }: CallInspection, sample: SampleView | null): readonly Phase[] {
  const { plannedMs, endedMs, firstTokenMs } = call;
  if (!sample) {
    const total = (endedMs ?? Date.now()) - plannedMs;
    const first = firstTokenMs ?? total;
    return [
      { name: "waiting", fromMs: 0, toMs: first },
      { name: "streaming", fromMs: first, toMs: Math.max(first, total) },
    ];
  }
  const before = Math.max(0, sample.startedMs - plannedMs);
  const end = endOf(sample);
  const first = sample.events.find(({ type }) => type.endsWith("_delta"))?.times[0] ?? end;
  const answered = Math.min(first, sample.response?.ms ?? first);
  const phases: readonly Phase[] = [
    { name: "tries", fromMs: 0, toMs: before },
    { name: "waiting", fromMs: before, toMs: before + answered },
    { name: "thinkingBefore", fromMs: before + answered, toMs: before + first },
    { name: "streaming", fromMs: before + first, toMs: before + Math.max(first, end) },
  ];
  return phases.filter(({ name, fromMs, toMs }) => name !== "tries" || toMs - fromMs > 5);
}

function longestGap(sample: SampleView | null): number | null {
  const times = (sample?.events ?? []).flatMap((event) => event.times).toSorted((a, b) => a - b);
  const gaps = times.slice(1).map((ms, at) => ms - (times[at] ?? ms));
  return gaps.length === 0 ? null : Math.max(...gaps);
}
