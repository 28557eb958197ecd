/** Finds words in the open conversation: Ctrl+F opens it, F3 goes on, Esc closes. */
import { useCallback, useMemo, useRef, useState } from "react";
import { hasMod, useKeys } from "../../frame/keys.ts";
import { useWords } from "../../i18n/language.tsx";
import parts from "../../styles/parts.module.css";
import { type Item, textOf } from "./items.ts";
import styles from "./reader.module.css";
import type { Rows } from "./reader.tsx";

interface FindBarProps {
  readonly items: readonly Item[];
  readonly rows: Rows;
  /** The key of the item that is looked at. */
  readonly onFound: (key: string | null) => void;
}

export function FindBar({ items, rows, onFound }: FindBarProps) {
  const words = useWords();
  const [text, setText] = useState<string | null>(null);
  const [at, setAt] = useState(0);
  const field = useRef<HTMLInputElement>(null);
  const hits = useMemo(() => hitsOf(items, text), [items, text]);

  const show = useCallback(
    (nth: number) => {
      if (hits.length === 0) return;
      const place = (nth + hits.length) % hits.length;
      const index = hits[place] ?? 0;
      setAt(place);
      onFound(items[index]?.key ?? null);
      rows.scrollToIndex(index, { align: "center" });
    },
    [hits, items, rows, onFound],
  );

  useKeys(
    useCallback(
      (event) => {
        if (hasMod(event) && event.key.toLowerCase() === "f") {
          setText((before) => before ?? "");
          requestAnimationFrame(() => field.current?.select());
          return true;
        }
        if (event.key === "F3") {
          show(at + (event.shiftKey ? -1 : 1));
          return true;
        }
        if (event.key !== "Escape" || event.target !== field.current) return false;
        setText(null);
        onFound(null);
        return true;
      },
      [show, at, onFound],
    ),
  );

  if (text === null) return null;
  return (
    <search className={styles.find}>
      <input
        ref={field}
        type="search"
        className={parts.field}
        aria-label={words.text("find.label")}
        placeholder={words.text("find.label")}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(-1);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) show(at + (event.shiftKey ? -1 : 1));
        }}
      />
      <span role="status">
        {text !== "" &&
          words.text("find.count", {
            at: words.number(hits.length === 0 ? 0 : Math.max(0, at) + 1),
            all: words.number(hits.length),
          })}
      </span>
    </search>
  );
}

/** Places of the items that have the words, without regard to case. */
function hitsOf(items: readonly Item[], text: string | null): readonly number[] {
  const words = text?.toLowerCase() ?? "";
  if (words === "") return [];
  return items.flatMap((item, index) => (textOf(item).toLowerCase().includes(words) ? [index] : []));
}
