/** The head of an open conversation: what it is, how it stands, and what can be done with it. */
import { ArrowLeft, Square } from "lucide-react";
import type { ConversationReading } from "../../../src-main/contract/conversations.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Meter } from "../../parts/meter.tsx";
import { hashOf } from "../../stores/route.ts";
import parts from "../../styles/parts.module.css";
import { CacheStrip } from "./cache-strip.tsx";
import { ConversationMenu } from "./conversation-menu.tsx";
import { markdownOf } from "./copy-text.ts";
import type { Item } from "./items.ts";
import list from "./list.module.css";
import styles from "./reader.module.css";
import { isRunning, tones } from "./status.ts";

interface ReaderHeadProps {
  readonly reading: ConversationReading;
  readonly items: readonly Item[];
}

export function ReaderHead({ reading: { conversation, context, calls }, items }: ReaderHeadProps) {
  const words = useWords();
  const { stores } = useFrame();
  const { id, title, status, model, channelName, turns, messages, workspace } = conversation;
  const stop = () => void stores.client.call("conversations.stop", { id });
  return (
    <header className={styles.head}>
      <a href={hashOf({ page: "conversations", id: null })} className={`${parts.button} ${list.back}`}>
        <ArrowLeft size={14} aria-hidden="true" />
        {words.text("action.back")}
      </a>
      <h2>
        <Foreign text={title ?? words.text("conversations.untitled")} />
      </h2>
      <span className={styles.status}>
        <Glyph tone={tones[status]} />
        {words.text(`conversation.${status}`)}
      </span>
      <div className={styles.actions}>
        <CopyButton text={() => markdownOf(items, words)} label={words.text("conversation.copy")} />
        {isRunning(status) && (
          <button type="button" className={parts.button} onClick={stop}>
            <Square size={12} fill="currentColor" aria-hidden="true" />
            {words.text("conversation.stop")}
          </button>
        )}
        <ConversationMenu conversation={conversation} callId={calls.at(-1)?.callId ?? null} />
      </div>
      <p className={styles.facts}>
        {channelName && <Foreign text={channelName} />}
        {model && (
          <code>
            <Foreign text={model} />
          </code>
        )}
        {workspace && <Foreign text={workspace} />}
        <span>{words.plural("conversation.turns", turns)}</span>
        <span>{words.plural("conversation.messages", messages)}</span>
        {context && (
          <Meter
            share={context.used / context.window}
            text={words.text("conversation.context", {
              used: words.number(context.used),
              window: words.number(context.window),
            })}
          />
        )}
      </p>
      <CacheStrip calls={calls} />
    </header>
  );
}
