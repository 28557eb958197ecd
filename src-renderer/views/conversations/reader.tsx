/**
 * One conversation. Only what is near the visible part is drawn, so that length costs nothing.
 *
 * It follows its end while the user is at the end; whoever scrolls up is told how much is new below.
 */
import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { ArrowDown } from "lucide-react";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import type { ConversationReading } from "../../../src-main/contract/conversations.ts";
import { useWords } from "../../i18n/language.tsx";
import { Scrollable } from "../../parts/scrollable.tsx";
import parts from "../../styles/parts.module.css";
import { ItemView } from "./blocks.tsx";
import { Contents } from "./contents.tsx";
import { FindBar } from "./find-bar.tsx";
import { type Item, itemsOf } from "./items.ts";
import styles from "./reader.module.css";
import { ReaderHead } from "./reader-head.tsx";
import { isRunning } from "./status.ts";

export type Rows = Virtualizer<HTMLElement, Element>;

/** This near to the end counts as at the end, in pixels. */
const nearPx = 48;

export function Reader({ reading }: { readonly reading: ConversationReading }) {
  const words = useWords();
  const items = useMemo(() => itemsOf(reading), [reading]);
  const place = useRef<HTMLElement>(null);
  const [found, setFound] = useState<string | null>(null);
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => place.current,
    estimateSize: (index) => estimates[items[index]?.type ?? "text"],
    getItemKey: (index) => items[index]?.key ?? index,
    overscan: 6,
    gap,
    // People read on where it ends: what stands before is not drawn to be left at once.
    initialOffset: () => items.reduce((sum, { type }) => sum + estimates[type] + gap, 0),
    paddingStart: 20,
    paddingEnd: 24,
  });
  const { isFollowing, unseen, follow } = useFollow(place, rows, items, reading);
  return (
    <section
      className={styles.reader}
      aria-label={reading.conversation.title ?? words.text("conversations.untitled")}
    >
      <ReaderHead reading={reading} items={items} />
      <FindBar items={items} rows={rows} onFound={setFound} />
      <div className={styles.columns}>
        <Scrollable ref={place} className={styles.scroll} label={words.text("conversation.messages")}>
          <div
            role="feed"
            aria-busy={isRunning(reading.conversation.status)}
            className={styles.feed}
            style={{ height: rows.getTotalSize() }}
          >
            {rows.getVirtualItems().map(({ index, key, start }) => {
              const item = items[index];
              return (
                item && (
                  <article
                    key={key}
                    ref={rows.measureElement}
                    data-index={index}
                    data-found={item.key === found || undefined}
                    aria-posinset={index + 1}
                    aria-setsize={items.length}
                    aria-label={words.text(`item.name.${item.type}`)}
                    className={styles.item}
                    style={{ transform: `translateY(${start}px)` }}
                  >
                    <ItemView item={item} />
                  </article>
                )
              );
            })}
          </div>
        </Scrollable>
        <Contents items={items} rows={rows} />
      </div>
      {!isFollowing && (
        <button type="button" className={`${parts.button} ${styles.down}`} onClick={follow}>
          <ArrowDown size={14} aria-hidden="true" />
          {unseen > 0 ? words.plural("conversation.new", unseen) : words.text("conversation.end")}
        </button>
      )}
      <Announcements reading={reading} />
    </section>
  );
}

const gap = 12;

const estimates: Readonly<Record<Item["type"], number>> = {
  user: 84,
  context: 30,
  thinking: 30,
  text: 120,
  tool: 32,
  broken: 90,
  mark: 20,
  turn: 40,
  live: 120,
};

function useFollow(
  place: React.RefObject<HTMLElement | null>,
  rows: Rows,
  items: readonly Item[],
  reading: ConversationReading,
) {
  const [isFollowing, setIsFollowing] = useState(true);
  const [seen, setSeen] = useState(items.length);
  const last = useRef(isFollowing);
  last.current = isFollowing;

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const look = () => {
      const left = element.scrollHeight - element.scrollTop - element.clientHeight;
      setIsFollowing(left < nearPx);
    };
    element.addEventListener("scroll", look, { passive: true });
    return () => element.removeEventListener("scroll", look);
  }, [place]);

  const size = rows.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: whatever grew, the end is followed
  useLayoutEffect(() => {
    const element = place.current;
    if (!element || !last.current) return;
    element.scrollTop = element.scrollHeight;
    setSeen(items.length);
  }, [size, items.length, reading.live, place]);

  const follow = () => {
    rows.scrollToIndex(items.length - 1, { align: "end" });
    setIsFollowing(true);
  };
  return { isFollowing, unseen: Math.max(0, items.length - seen), follow };
}

/** Streaming text is not read out; that an answer began and how it ended is. */
function Announcements({ reading }: { readonly reading: ConversationReading }) {
  const words = useWords();
  const { status } = reading.conversation;
  return (
    <p role="status" className={parts.unseen}>
      {words.text(`conversation.said.${status}`)}
    </p>
  );
}
