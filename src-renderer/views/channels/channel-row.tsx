/** One channel of the list: whether it is offered, what it is, how its last test went, and what can be done with it. */
import { Ellipsis, GripVertical } from "lucide-react";
import type { DragEvent, KeyboardEvent } from "react";
import { useStore } from "zustand";
import type { ChannelView } from "../../../src-main/contract/channels.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Menu } from "../../parts/menu.tsx";
import { hostOf } from "../../stores/channels.ts";
import { hashOf } from "../../stores/route.ts";
import styles from "./channels.module.css";
import { copyOf } from "./transfer.tsx";
import { verdictOf } from "./verdict.ts";

interface ChannelRowProps {
  readonly channel: ChannelView;
  readonly isOpened: boolean;
  readonly isMovable: boolean;
  readonly onStep: (by: -1 | 1) => void;
  readonly onDrag: () => void;
  readonly onDrop: () => void;
  readonly onDuplicate: () => void;
  readonly onRemove: () => void;
}

export function ChannelRow(props: ChannelRowProps) {
  const words = useWords();
  const { channels } = useFrame().stores;
  const { channel, isOpened, onDrop } = props;
  const { id, name, model, baseUrl, enabled, contextWindow, colour } = channel;
  const press = (event: KeyboardEvent) => {
    if (!takeKey(event, props, () => void channels.test(id))) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <li
      className={styles.row}
      data-enabled={enabled}
      data-opened={isOpened}
      data-colour={colour ?? undefined}
      onKeyDown={press}
      onDragOver={(event) => event.preventDefault()}
      onDrop={onDrop}
    >
      <Handle {...props} />
      <input
        type="checkbox"
        role="switch"
        className={styles.switch}
        aria-checked={enabled}
        aria-label={words.text("channels.switch", { name })}
        checked={enabled}
        onChange={() => void channels.enable(id, !enabled)}
      />
      <a className={styles.who} href={hashOf({ page: "channels", id })} aria-current={isOpened || undefined}>
        <strong>
          <Foreign text={name} />
        </strong>
        <code>
          <Foreign text={model} />
        </code>
      </a>
      <code className={styles.host}>
        <Foreign text={hostOf(baseUrl)} />
      </code>
      <span className={styles.window} title={words.text("form.contextWindow")}>
        {words.compact(contextWindow)}
      </span>
      <State channel={channel} />
      <Menu
        label={words.text("channels.menu", { name })}
        sign={<Ellipsis size={16} aria-hidden="true" />}
        isIcon
        items={useItems(props)}
      />
    </li>
  );
}

function Handle({ channel: { name }, isMovable, onStep, onDrag }: ChannelRowProps) {
  const words = useWords();
  if (!isMovable) return <span className={styles.handle} />;
  const begin = (event: DragEvent) => {
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", name);
    onDrag();
  };
  return (
    <button
      type="button"
      draggable
      className={styles.handle}
      aria-label={words.text("channels.move", { name })}
      aria-keyshortcuts="Alt+ArrowUp Alt+ArrowDown"
      title={words.text("channels.moveHow")}
      onDragStart={begin}
      onKeyDown={(event) => {
        const by = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
        if (by === undefined || event.altKey) return;
        event.preventDefault();
        onStep(by);
      }}
    >
      <GripVertical size={14} aria-hidden="true" />
    </button>
  );
}

/** Keys that act on the row in which the focus is. */
function takeKey(event: KeyboardEvent, props: ChannelRowProps, test: () => void): boolean {
  const { onStep, onDuplicate, onRemove, isMovable } = props;
  const mod = event.ctrlKey || event.metaKey;
  const by = ({ ArrowUp: -1, ArrowDown: 1 } as const)[event.key];
  if (event.altKey && by !== undefined && isMovable) onStep(by);
  else if (event.key === "Delete") onRemove();
  else if (mod && event.key === "d") onDuplicate();
  else if (mod && event.key === "t") test();
  else return false;
  return true;
}

function useItems({ channel, isMovable, onStep, onDuplicate, onRemove }: ChannelRowProps) {
  const words = useWords();
  const { channels, client } = useFrame().stores;
  const moves = [
    { label: words.text("channels.up"), keys: "Alt+↑", onChoose: () => onStep(-1) },
    { label: words.text("channels.down"), keys: "Alt+↓", onChoose: () => onStep(1) },
  ];
  return [
    { label: words.text("channels.test"), keys: "Ctrl+T", onChoose: () => void channels.test(channel.id) },
    { label: words.text("channels.duplicate"), keys: "Ctrl+D", onChoose: onDuplicate },
    {
      label: words.text("channels.copyJson"),
      onChoose: () => void copyOf(client, channel).then((text) => navigator.clipboard.writeText(text)),
    },
    ...(isMovable ? moves : []),
    { label: words.text("action.delete"), keys: "Del", isDangerous: true, onChoose: onRemove },
  ];
}

function State({ channel }: { readonly channel: ChannelView }) {
  const words = useWords();
  const test = useStore(useFrame().stores.channels.tests, (tests) => tests[channel.id]);
  const { tone, text, atMs, message } = verdictOf(channel, test);
  return (
    <span role="status" className={styles.state} data-tone={tone} title={message ?? undefined}>
      {tone !== "off" && <Glyph tone={tone} />}
      <span>
        {words.text(text)}
        {tone === "warn" && (
          <a href={hashOf({ page: "channels", id: channel.id })}>{words.text("channels.enterKey")}</a>
        )}
        {atMs !== null && <small>{words.moment(atMs, Date.now())}</small>}
        {tone === "err" && message && (
          <small>
            <Foreign text={message} />
          </small>
        )}
      </span>
    </span>
  );
}
