/** How much of each call's input a provider had read before: a bar a call, and a table for who cannot see it. */
import type { ConversationCall } from "../../../src-main/contract/conversations.ts";
import { useWords } from "../../i18n/language.tsx";
import { inputOf } from "../../stores/calls.ts";
import styles from "./cache-strip.module.css";

const height = 40;
/** Older ones would be too narrow to be seen. */
const mostCalls = 200;

export function CacheStrip({ calls }: { readonly calls: readonly ConversationCall[] }) {
  const words = useWords();
  const known = calls.flatMap(({ callId, usage }) => (usage ? [{ callId, usage }] : [])).slice(-mostCalls);
  if (known.length === 0) return null;
  const most = Math.max(1, ...known.map(({ usage }) => inputOf(usage)));
  const input = known.reduce((sum, { usage }) => sum + inputOf(usage), 0);
  const cached = known.reduce((sum, { usage }) => sum + usage.cached, 0);
  return (
    <details className={styles.strip}>
      <summary>
        {words.text("strip.title", { share: words.percent(input === 0 ? 0 : cached / input) })}
      </summary>
      <svg viewBox={`0 0 ${known.length * 8} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        {known.map(({ callId, usage }, at) => {
          const scale = (tokens: number) => (tokens / most) * height;
          const [fromCache, written, fresh] = [usage.cached, usage.written, usage.fresh].map(scale);
          return (
            <g key={callId}>
              <rect
                x={at * 8 + 1}
                width="6"
                y={height - (fromCache ?? 0)}
                height={fromCache}
                data-part="cached"
              />
              <rect
                x={at * 8 + 1}
                width="6"
                y={height - (fromCache ?? 0) - (written ?? 0)}
                height={written}
                data-part="written"
              />
              <rect
                x={at * 8 + 1}
                width="6"
                y={height - (fromCache ?? 0) - (written ?? 0) - (fresh ?? 0)}
                height={fresh}
                data-part="fresh"
              />
            </g>
          );
        })}
      </svg>
      <div className={styles.scroll}>
        <table>
          <thead>
            <tr>
              <th scope="col">{words.text("strip.call")}</th>
              <th scope="col">{words.text("usage.cached")}</th>
              <th scope="col">{words.text("usage.written")}</th>
              <th scope="col">{words.text("usage.fresh")}</th>
            </tr>
          </thead>
          <tbody>
            {known.map(({ callId, usage }, at) => (
              <tr key={callId}>
                <th scope="row">{words.number(at + 1)}</th>
                <td>{words.number(usage.cached)}</td>
                <td>{words.number(usage.written)}</td>
                <td>{words.number(usage.fresh)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
