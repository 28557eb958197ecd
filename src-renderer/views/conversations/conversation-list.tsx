/** All conversations, newest first, by day. */
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import { useStore } from "zustand";
import type { ConversationHit } from "../../../src-main/contract/conversations.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Failure } from "../../parts/panel.tsx";
import { hashOf } from "../../stores/route.ts";
import styles from "./list.module.css";
import { tones } from "./status.ts";

interface ConversationListProps {
  readonly opened: string | null;
}

const rowHeight = 58;

export function ConversationList({ opened }: ConversationListProps) {
  const words = useWords();
  const { conversations } = useFrame().stores;
  const { hits, next, state, message, wanted } = useStore(conversations.store);
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: hits.length,
    getScrollElement: () => place.current,
    estimateSize: () => rowHeight,
    getItemKey: (index) => hits[index]?.conversation.id ?? index,
    overscan: 8,
  });
  const rows = virtual.getVirtualItems();
  const isAtEnd = (rows.at(-1)?.index ?? 0) >= hits.length - 5;
  useEffect(() => {
    if (isAtEnd && next !== null && state === "loaded") void conversations.more();
  }, [isAtEnd, next, state, conversations]);

  if (state === "failed")
    return (
      <Failure
        title={words.text("conversations.failed")}
        message={message}
        onRetry={() => void conversations.load()}
      />
    );
  const isFiltered = wanted.text !== "" || wanted.status !== "all" || wanted.days !== null;
  return (
    <div ref={place} className={styles.scroll} aria-busy={state === "loading"}>
      {hits.length === 0 && state === "loaded" && (
        <p className={styles.none}>{words.text(isFiltered ? "conversations.noHit" : "conversations.none")}</p>
      )}
      <ol
        className={styles.rows}
        aria-label={words.text("conversations.list")}
        style={{ height: virtual.getTotalSize() }}
      >
        {rows.map(({ index, key, start }) => {
          const hit = hits[index];
          return (
            hit && (
              <li key={key} style={{ transform: `translateY(${start}px)` }} className={styles.place}>
                <Row hit={hit} isOpened={hit.conversation.id === opened} />
              </li>
            )
          );
        })}
      </ol>
    </div>
  );
}

interface RowProps {
  readonly hit: ConversationHit;
  readonly isOpened: boolean;
}

function Row({ hit: { conversation, found }, isOpened }: RowProps) {
  const words = useWords();
  const { id, title, status, model, workspace, updatedMs } = conversation;
  return (
    <a
      className={styles.row}
      href={hashOf({ page: "conversations", id })}
      aria-current={isOpened || undefined}
    >
      <span>
        <span className={styles.name}>
          <Foreign text={title ?? words.text("conversations.untitled")} />
        </span>
        <time dateTime={new Date(updatedMs).toISOString()}>{words.moment(updatedMs, Date.now())}</time>
      </span>
      <span>
        <span className={styles.about}>
          {found ? (
            <>
              …<Foreign text={found.before} />
              <mark>
                <Foreign text={found.match} />
              </mark>
              <Foreign text={found.after} />…
            </>
          ) : (
            <>
              {model && <Foreign text={model} />}
              {workspace && (
                <>
                  {" · "}
                  <Foreign text={lastPart(workspace)} />
                </>
              )}
            </>
          )}
        </span>
        <span className={styles.status} title={words.text(`conversation.${status}`)}>
          <Glyph tone={tones[status]} />
          <span>{words.text(`conversation.${status}`)}</span>
        </span>
      </span>
    </a>
  );
}

const lastPart = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== "") ?? path;
