/** Tokens of each day as a bar: from the cache, fresh, written into it, and what came out. */
import { useWords } from "../../i18n/language.tsx";
import { inputOf, type Named, totalOf } from "./sums.ts";
import styles from "./usage.module.css";

const height = 160;
const parts = ["output", "written", "fresh", "cached"] as const;

export function Bars({ days }: { readonly days: readonly Named[] }) {
  const words = useWords();
  const most = Math.max(1, ...days.map(({ sums }) => totalOf(sums)));
  return (
    <figure className={styles.bars}>
      <svg viewBox={`0 0 ${days.length * 10} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {days.map(({ name, sums }, at) => {
          let top = height;
          return (
            <g key={name}>
              <title>
                {words.text("usage.bar", {
                  day: name,
                  input: words.number(inputOf(sums)),
                  output: words.number(sums.output),
                })}
              </title>
              <rect x={at * 10} y="0" width="10" height={height} data-part="none" />
              {parts.toReversed().map((part) => {
                const size = (sums[part] / most) * (height - 4);
                top -= size;
                return <rect key={part} x={at * 10 + 1.5} y={top} width="7" height={size} data-part={part} />;
              })}
            </g>
          );
        })}
      </svg>
      <div className={styles.axis} aria-hidden="true">
        <span>{days[0]?.name}</span>
        <span>{days.length > 1 && days.at(-1)?.name}</span>
      </div>
      <figcaption>
        {parts.toReversed().map((part) => (
          <span key={part} data-part={part}>
            {words.text(`usage.${part}`)}
          </span>
        ))}
        <span>{words.text("usage.most", { tokens: words.compact(most) })}</span>
      </figcaption>
    </figure>
  );
}
