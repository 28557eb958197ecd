/** The things a conversation is made of, one component each. */
import { ChevronRight } from "lucide-react";
import { memo, type ReactNode, useState } from "react";
import type { ConversationCall, MessageView } from "../../../src-main/contract/conversations.ts";
import { useWords } from "../../i18n/language.tsx";
import type { Words } from "../../i18n/words.ts";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { Prose } from "../../parts/text/prose.tsx";
import { inputOf } from "../../stores/calls.ts";
import { failureOf } from "../failures.ts";
import styles from "./blocks.module.css";
import { ImageChip } from "./image-chip.tsx";
import type { Item } from "./items.ts";
import { ToolCard } from "./tool-card.tsx";
import { WholeText } from "./whole-text.tsx";

export const ItemView = memo(function ItemView({ item }: { readonly item: Item }) {
  switch (item.type) {
    case "user":
      return <User message={item.message} />;
    case "context":
      return <Context messages={item.messages} />;
    case "thinking":
      return (
        <Fold kind="think" title={<Title of="item.thinking" />}>
          <WholeText part={item.part} place={item.place}>
            {(text) => <Plain text={text} />}
          </WholeText>
        </Fold>
      );
    case "text":
      return (
        <WholeText part={item.part} place={item.place}>
          {(text) => <Prose text={text} />}
        </WholeText>
      );
    case "tool":
      return <ToolCard item={item} />;
    case "broken":
      return <Broken tries={item.tries} />;
    case "mark":
      return <Mark item={item} />;
    case "turn":
      return <TurnEnd item={item} />;
    case "live":
      return <Live item={item} />;
  }
});

const Title = ({ of }: { readonly of: "item.thinking" | "item.liveThinking" }) => <>{useWords().text(of)}</>;

const Plain = ({ text }: { readonly text: string }) => (
  <p className={styles.plain}>
    <Foreign text={text} />
  </p>
);

interface FoldProps {
  readonly kind: "think" | "context";
  readonly title: ReactNode;
  readonly children: ReactNode;
}

function Fold({ kind, title, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <div className={styles.folded} data-kind={kind}>
      <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <ChevronRight size={14} aria-hidden="true" />
        {title}
      </button>
      {isOpen && <div className={styles.inside}>{children}</div>}
    </div>
  );
}

function User({ message }: { readonly message: MessageView }) {
  const words = useWords();
  return (
    <div className={styles.user}>
      <p className={styles.label}>
        {words.text("item.you")}
        <time dateTime={new Date(message.createdMs).toISOString()}>
          {words.time(message.createdMs, Date.now())}
        </time>
      </p>
      <Parts message={message} />
    </div>
  );
}

function Parts({ message: { seq, parts } }: { readonly message: MessageView }) {
  return parts.map((part, at) => {
    const place = { seq, part: at };
    // biome-ignore lint/suspicious/noArrayIndexKey: a message does not change
    if (part.type === "image") return <ImageChip key={at} part={part} place={place} />;
    return (
      // biome-ignore lint/suspicious/noArrayIndexKey: a message does not change
      <WholeText key={at} part={part} place={place}>
        {(text) => <Plain text={text} />}
      </WholeText>
    );
  });
}

function Context({ messages }: { readonly messages: readonly MessageView[] }) {
  const words = useWords();
  const length = messages
    .flatMap(({ parts }) => parts)
    .reduce((sum, part) => sum + (part.type === "image" ? 0 : part.length), 0);
  const title = words.plural("item.context", messages.length, { length: words.number(length) });
  return (
    <Fold kind="context" title={title}>
      {messages.map((message) => (
        <Parts key={message.seq} message={message} />
      ))}
    </Fold>
  );
}

type Tries = Extract<Item, { readonly type: "broken" }>["tries"];

/** What people saw of answers that broke off. It looks like no answer, for none of it became one. */
function Broken({ tries }: { readonly tries: Tries }) {
  const words = useWords();
  return (
    <div className={styles.broken}>
      <p className={styles.label}>
        <Glyph tone="warn" />
        {words.plural("item.broken", tries.length)}
      </p>
      {tries.map(({ try: attempt, partial, error }) => (
        <div key={attempt}>
          {partial && <Plain text={partial} />}
          {error && (
            <p className={styles.label}>
              <Foreign text={error} />
            </p>
          )}
        </div>
      ))}
    </div>
  );
}

function Mark({ item: { cause, createdMs } }: { readonly item: Extract<Item, { readonly type: "mark" }> }) {
  const words = useWords();
  return (
    <p className={styles.mark}>
      <span>{words.text(`mark.${cause}`, { time: words.time(createdMs, Date.now()) })}</span>
    </p>
  );
}

function TurnEnd({ item: { turn, calls } }: { readonly item: Extract<Item, { readonly type: "turn" }> }) {
  const words = useWords();
  const { status, reason, startedMs, endedMs, usage } = turn;
  const facts = [
    words.plural("turn.calls", calls.length),
    endedMs === null ? null : words.duration(endedMs - startedMs),
    ...(usage ? usageFacts(usage, words) : []),
  ].filter((fact) => fact !== null);
  return (
    <div className={styles.turn} data-status={status}>
      {status === "failed" && calls.at(-1)?.errorCode && (
        <p>{words.text(failureOf(calls.at(-1)?.errorCode ?? null))}</p>
      )}
      {status === "failed" && reason && <Sentence text={reason} />}
      {status === "canceled" && <p>{words.text("turn.canceled", { reason: reason ?? "" })}</p>}
      <p className={styles.facts}>{facts.join(" · ")}</p>
    </div>
  );
}

function usageFacts(usage: NonNullable<ConversationCall["usage"]>, words: Words): readonly string[] {
  const input = inputOf(usage);
  return [
    words.text("turn.tokens", { input: words.number(input), output: words.number(usage.output) }),
    ...(usage.cached > 0 ? [words.text("calls.cached", { share: words.percent(usage.cached / input) })] : []),
  ];
}

/** Of an answer that grows: drawing all of it each time would hold up the window. */
const liveChars = 16_000;

/** Not history yet: plain text, since it changes ten times a second. */
function Live({ item: { block } }: { readonly item: Extract<Item, { readonly type: "live" }> }) {
  const words = useWords();
  return (
    <div className={styles.live} data-kind={block.type}>
      <p className={styles.label}>
        {block.type === "tool_call" ? (
          <>
            {words.text("item.liveTool")} <Foreign text={block.name ?? ""} />
          </>
        ) : (
          words.text(block.type === "thinking" ? "item.liveThinking" : "item.live")
        )}
      </p>
      {block.text.length > liveChars && <p className={styles.label}>{words.text("item.liveTail")}</p>}
      <p className={styles.plain}>
        <Foreign text={block.text.slice(-liveChars)} />
      </p>
    </div>
  );
}
