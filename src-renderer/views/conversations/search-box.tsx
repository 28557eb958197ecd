/** What to look for in the conversations. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import parts from "../../styles/parts.module.css";
import styles from "./list.module.css";

/** After the last letter. */
const pauseMs = 200;

const statuses = ["all", "active", "failed"] as const;
const spans = [null, 1, 7, 30] as const;

export function SearchBox() {
  const words = useWords();
  const { conversations } = useFrame().stores;
  const wanted = useStore(conversations.store, (list) => list.wanted);
  const [text, setText] = useState(wanted.text);

  useEffect(() => {
    if (text === conversations.store.getState().wanted.text) return;
    const timer = setTimeout(() => conversations.want({ text }), pauseMs);
    return () => clearTimeout(timer);
  }, [text, conversations]);

  return (
    <div className={styles.search}>
      <SearchField label={words.text("conversations.search")} value={text} onChange={setText} />
      <div>
        <select
          className={parts.field}
          aria-label={words.text("conversations.status")}
          value={wanted.status}
          onChange={({ target }) =>
            conversations.want({ status: statuses.find((status) => status === target.value) ?? "all" })
          }
        >
          {statuses.map((status) => (
            <option key={status} value={status}>
              {words.text(`conversations.status.${status}`)}
            </option>
          ))}
        </select>
        <select
          className={parts.field}
          aria-label={words.text("conversations.span")}
          value={String(wanted.days)}
          onChange={({ target }) =>
            conversations.want({ days: spans.find((days) => String(days) === target.value) ?? null })
          }
        >
          {spans.map((days) => (
            <option key={days} value={String(days)}>
              {days === null
                ? words.text("conversations.span.all")
                : words.plural("conversations.days", days)}
            </option>
          ))}
        </select>
      </div>
    </div>
  );
}
