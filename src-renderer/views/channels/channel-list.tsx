/** The channels in the user's order, which is the order in which Cursor is offered their models. */
import { Trash2 } from "lucide-react";
import { useStore } from "zustand";
import type { ChannelView } from "../../../src-main/contract.ts";
import { useWords } from "../../i18n/language.tsx";
import type { Words } from "../../i18n/words.ts";
import { CommandLine } from "../../parts/command-line.tsx";
import { commands } from "../../parts/commands.ts";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { type Channels, hostOf, type Test } from "../../stores/channels.ts";
import parts from "../../styles/parts.module.css";
import styles from "./channels.module.css";

interface ChannelListProps {
  readonly list: readonly ChannelView[];
  readonly channels: Channels;
  /** Left out: the list is looked at only. */
  readonly onEdit?: (channel: ChannelView) => void;
  readonly onRemove?: (channel: ChannelView) => void;
}

export function ChannelList({ list, channels, onEdit, onRemove }: ChannelListProps) {
  const tests = useStore(channels.tests);
  return (
    <ul className={styles.list}>
      {list.map((channel) => (
        <ChannelRow
          key={channel.id}
          channel={channel}
          test={tests[channel.id]}
          onTest={() => void channels.test(channel.id)}
          onSwitch={() => void channels.enable(channel.id, !channel.enabled)}
          {...(onEdit ? { onEdit: () => onEdit(channel) } : {})}
          {...(onRemove ? { onRemove: () => onRemove(channel) } : {})}
        />
      ))}
    </ul>
  );
}

interface ChannelRowProps {
  readonly channel: ChannelView;
  readonly test: Test | undefined;
  readonly onTest: () => void;
  readonly onSwitch: () => void;
  readonly onEdit?: () => void;
  readonly onRemove?: () => void;
}

function ChannelRow({ channel, test, onTest, onSwitch, onEdit, onRemove }: ChannelRowProps) {
  const words = useWords();
  const { id, name, model, baseUrl, enabled, key } = channel;
  const failure = failureOf(test);
  return (
    <li className={styles.row} data-enabled={enabled}>
      <span className={styles.mark}>
        {onEdit ? (
          <input
            type="checkbox"
            role="switch"
            aria-checked={enabled}
            aria-label={words.text("channels.switch", { name })}
            checked={enabled}
            onChange={onSwitch}
          />
        ) : (
          <Glyph tone={enabled ? "ok" : "off"} />
        )}
        {words.text(enabled ? "channels.on" : "channels.off")}
      </span>
      <span className={styles.who}>
        <strong>
          <Foreign text={name} />
        </strong>
        <code>
          <Foreign text={model} />
        </code>
      </span>
      <code className={styles.host}>
        <Foreign text={hostOf(baseUrl)} />
      </code>
      <span className={styles.key} data-key={key}>
        {isKeyLacking(key) && <Glyph tone="warn" />}
        {words.text(`channels.key.${key}`)}
      </span>
      <TestState test={test} />
      <span className={styles.buttons}>
        <button
          type="button"
          className={parts.button}
          aria-label={words.text("channels.test.name", { name })}
          aria-disabled={test?.type === "running"}
          onClick={onTest}
        >
          {words.text("channels.test")}
        </button>
        {onEdit && (
          <button
            type="button"
            className={parts.button}
            aria-label={words.text("channels.editName", { name })}
            onClick={onEdit}
          >
            {words.text("channels.edit")}
          </button>
        )}
        {onRemove && (
          <button
            type="button"
            className={parts.button}
            aria-label={words.text("channels.removeName", { name })}
            onClick={onRemove}
          >
            <Trash2 size={14} aria-hidden="true" />
          </button>
        )}
      </span>
      {isKeyLacking(key) && (
        <div className={styles.more}>
          <p>{words.text(`channels.key.${key}.remedy`)}</p>
          <CommandLine command={commands.setKey(id)} />
        </div>
      )}
      {failure !== null && (
        <div className={styles.more}>
          <Sentence text={failure} />
        </div>
      )}
    </li>
  );
}

const isKeyLacking = (key: ChannelView["key"]): key is "missing" | "unreadable" =>
  key === "missing" || key === "unreadable";

/** What the program said about a test that did not work. */
function failureOf(test: Test | undefined): string | null {
  if (test?.type === "failed") return test.message;
  return test?.type === "done" && !test.result.ok ? test.result.message : null;
}

function TestState({ test }: { readonly test: Test | undefined }) {
  const words = useWords();
  const { tone, text } = verdictOf(test);
  return (
    <span role="status" className={styles.test} data-tone={tone}>
      {tone !== "off" && <Glyph tone={tone} />}
      <span>
        {words.text(text)}
        {test?.type === "done" && <small>{whenOf(test, words)}</small>}
      </span>
    </span>
  );
}

function verdictOf(test: Test | undefined) {
  if (test === undefined) return { tone: "off", text: "channels.test.never" } as const;
  switch (test.type) {
    case "running":
      return { tone: "busy", text: "channels.test.running" } as const;
    case "failed":
      return { tone: "err", text: "channels.test.notMade" } as const;
    case "done":
      return test.result.ok
        ? ({ tone: "ok", text: "channels.test.ok" } as const)
        : ({ tone: "err", text: "channels.test.failed" } as const);
  }
}

function whenOf({ atMs, result: { firstTokenMs } }: Extract<Test, { type: "done" }>, words: Words): string {
  const time = words.time(atMs, Date.now());
  if (firstTokenMs === null) return time;
  return words.text("channels.test.firstToken", { time, duration: words.duration(firstTokenMs) });
}
