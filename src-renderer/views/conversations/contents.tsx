/** What the user asked, in order, for jumping there; only where there is room beside the text. */
import { useDeferredValue, useMemo } from "react";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { type Item, promptOf } from "./items.ts";
import styles from "./reader.module.css";
import type { Rows } from "./reader.tsx";

interface ContentsProps {
  readonly items: readonly Item[];
  readonly rows: Rows;
}

const longest = 80;

/** Drawn behind the conversation itself, which is what people wait for. */
export function Contents({ items: all, rows }: ContentsProps) {
  const words = useWords();
  const items = useDeferredValue(all, []);
  const prompts = useMemo(
    () =>
      items.flatMap((item, index) => (item.type === "user" ? [{ index, text: promptOf(item.message) }] : [])),
    [items],
  );
  if (prompts.length < 2) return null;
  return (
    <nav className={styles.contents} aria-label={words.text("conversation.contents")}>
      <ol>
        {prompts.map(({ index, text }) => (
          <li key={index}>
            <button type="button" onClick={() => rows.scrollToIndex(index, { align: "start" })}>
              <Foreign text={text.slice(0, longest)} />
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
