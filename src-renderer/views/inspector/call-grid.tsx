/**
 * Calls as a grid, newest first. One row is current; the grid keeps the focus, so that rows may come and go: it is made
 * of divs, since only the rows that are seen are there (biome.json knows this file).
 */
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useId, useRef, useState } from "react";
import { useStore } from "zustand";
import type { CallView } from "../../../src-main/contract/calls.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { inputOf, speedOf } from "../../stores/calls.ts";
import { callStates } from "../call-states.ts";
import styles from "./inspector.module.css";

interface CallGridProps {
  readonly calls: readonly CallView[];
  readonly opened: string | null;
}

const columns = ["time", "channel", "model", "status", "first", "total", "speed", "tokens", "error"] as const;
const pageRows = 10;
const overscan = 2;

export function CallGrid({ calls, opened }: CallGridProps) {
  const words = useWords();
  const { stores, route } = useFrame();
  const id = useId();
  const place = useRef<HTMLDivElement>(null);
  const [current, setCurrent] = useState<string | null>(opened);
  const at = Math.max(
    0,
    calls.findIndex(({ callId }) => callId === current),
  );
  const { rows, shown, slots, height } = useRows(calls.length, place);

  const goTo = (index: number) => {
    const next = Math.max(0, Math.min(calls.length - 1, index));
    setCurrent(calls[next]?.callId ?? null);
    rows.scrollToIndex(next);
    if (next >= calls.length - pageRows) void stores.calls.more();
  };
  const open = (callId: string | undefined) => callId !== undefined && route.go("inspector", callId);
  const press = (event: KeyboardEvent) => {
    const next = stepOf(event.key, at, calls.length);
    if (next !== null) goTo(next);
    else if (event.key === "Enter") open(calls[at]?.callId);
    else return;
    event.preventDefault();
  };
  return (
    <div
      ref={place}
      role="grid"
      tabIndex={0}
      aria-label={words.text("inspector.calls")}
      aria-rowcount={calls.length + 1}
      aria-activedescendant={calls.length === 0 ? undefined : `${id}${at}`}
      className={styles.grid}
      onKeyDown={press}
    >
      <HeadRow />
      <div role="rowgroup" className={styles.rows} style={{ height: rows.getTotalSize() }}>
        {shown.map(({ index, start }) => {
          const call = calls[index];
          return (
            call && (
              <Row
                key={index % slots}
                id={`${id}${index}`}
                call={call}
                index={index}
                isCurrent={index === at}
                isOpened={call.callId === opened}
                place={{ top: start, height }}
                onOpen={() => {
                  setCurrent(call.callId);
                  open(call.callId);
                }}
              />
            )
          );
        })}
      </div>
    </div>
  );
}

/** Those that are seen. A row that leaves at one end comes in at the other: it costs time to clear elements away. */
function useRows(count: number, place: RefObject<HTMLElement | null>) {
  const isCompact = useStore(useFrame().preferences.store, ({ density }) => density === "compact");
  const height = isCompact ? 28 : 34;
  const rows = useVirtualizer({
    count,
    getScrollElement: () => place.current,
    estimateSize: () => height,
    overscan,
  });
  const slots = Math.ceil((rows.scrollRect?.height ?? 0) / height) + 2 * overscan + 2;
  return { rows, shown: rows.getVirtualItems(), slots, height };
}

function HeadRow() {
  const words = useWords();
  return (
    <div role="row" aria-rowindex={1} className={styles.headRow}>
      {columns.map((column) => (
        <span key={column} role="columnheader" data-column={column}>
          {words.text(`inspector.${column}`)}
        </span>
      ))}
    </div>
  );
}

function stepOf(key: string, at: number, length: number): number | null {
  switch (key) {
    case "ArrowDown":
    case "j":
      return at + 1;
    case "ArrowUp":
    case "k":
      return at - 1;
    case "PageDown":
      return at + pageRows;
    case "PageUp":
      return at - pageRows;
    case "Home":
      return 0;
    case "End":
      return length - 1;
    default:
      return null;
  }
}

interface RowProps {
  readonly id: string;
  readonly call: CallView;
  readonly index: number;
  readonly isCurrent: boolean;
  readonly isOpened: boolean;
  readonly place: { readonly top: number; readonly height: number };
  readonly onOpen: () => void;
}

function Row({ id, call, index, isCurrent, isOpened, place, onOpen }: RowProps) {
  const words = useWords();
  const { plannedMs, endedMs, channelName, model, firstTokenMs, usage, status, tries, error } = call;
  const { tone, text } = callStates[status];
  const speed = speedOf(call);
  const cells: { readonly [C in (typeof columns)[number]]: React.ReactNode } = {
    time: <time dateTime={new Date(plannedMs).toISOString()}>{words.time(plannedMs, Date.now())}</time>,
    channel: <Foreign text={channelName} />,
    model: <Foreign text={model} />,
    status: (
      <>
        <Glyph tone={tone} />
        {words.text(text)}
        {tries > 1 && ` ×${tries}`}
      </>
    ),
    first: firstTokenMs === null ? "–" : words.duration(firstTokenMs),
    total: endedMs === null ? "…" : words.duration(endedMs - plannedMs),
    speed: speed === null ? "–" : words.number(speed),
    tokens: usage ? `${words.compact(inputOf(usage))} / ${words.compact(usage.output)}` : "–",
    error: error === null ? "" : <Foreign text={error} />,
  };
  return (
    <div
      role="row"
      id={id}
      aria-rowindex={index + 2}
      aria-selected={isOpened}
      data-current={isCurrent}
      className={styles.row}
      style={place}
      onClick={onOpen}
    >
      {columns.map((column) => (
        <span
          key={column}
          role="gridcell"
          data-column={column}
          data-tone={column === "error" ? "err" : undefined}
        >
          {cells[column]}
        </span>
      ))}
    </div>
  );
}
