/** One tool call with its result: a line that says what it did, and all of it below when opened. */
import { ChevronRight } from "lucide-react";
import { type ReactNode, useState } from "react";
import type { MessageView, PartView } from "../../../src-main/contract/conversations.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph, type Tone } from "../../parts/glyph.tsx";
import { Coloured } from "../../parts/text/code.tsx";
import { DiffView } from "../../parts/text/diff-view.tsx";
import { Terminal } from "../../parts/text/terminal.tsx";
import styles from "./blocks.module.css";
import { ImageChip } from "./image-chip.tsx";
import type { ToolItem } from "./items.ts";
import { readToolCall } from "./tool-summary.ts";
import { WholeText } from "./whole-text.tsx";

type State = "waiting" | "completed" | "failed" | "canceled";

const tones: Readonly<Record<State, Tone>> = {
  waiting: "busy",
  completed: "ok",
  failed: "err",
  canceled: "off",
};

function stateOf({ result, operation }: ToolItem): State {
  if (operation?.status === "canceled") return "canceled";
  if (result) return result.isError ? "failed" : "completed";
  return operation?.status === "completed" ? "completed" : "waiting";
}

export function ToolCard({ item }: { readonly item: ToolItem }) {
  const words = useWords();
  const [isOpen, setIsOpen] = useState(false);
  const { call, operation } = item;
  const { subject } = readToolCall(call.name, call.text);
  const state = stateOf(item);
  const ms = operation?.endedMs == null ? null : operation.endedMs - operation.plannedMs;
  return (
    <div className={styles.tool} data-state={state}>
      <button type="button" className={styles.fold} aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        <ChevronRight size={14} aria-hidden="true" />
        <Glyph tone={tones[state]} />
        <strong>
          <Foreign text={call.name} />
        </strong>
        <code>
          <Foreign text={subject} />
        </code>
        <span className={styles.outcome}>
          {words.text(`tool.${state}`)}
          {ms !== null && state !== "waiting" && ` ${words.duration(ms)}`}
        </span>
      </button>
      {isOpen && (
        <div className={styles.inside}>
          <Asked item={item} />
          {item.result && <Result call={call.name} result={item.result} />}
        </div>
      )}
    </div>
  );
}

/** What was asked for: an edit as a difference, a command as a line, anything else as its arguments. */
function Asked({ item: { call, place } }: { readonly item: ToolItem }) {
  return (
    <WholeText part={call} place={place}>
      {(text) => {
        const { edits, command, arguments: args } = readToolCall(call.name, text);
        if (edits.length > 0)
          return edits.map(({ before, after }) => (
            <DiffView key={`${before}\0${after}`} before={before} after={after} />
          ));
        return <Coloured text={command ?? args} language={command === null ? "json" : "bash"} />;
      }}
    </WholeText>
  );
}

interface ResultProps {
  readonly call: string;
  readonly result: MessageView;
}

function Result({ call, result }: ResultProps) {
  const words = useWords();
  return (
    <>
      <p className={styles.label}>{words.text(result.isError ? "tool.error" : "tool.result")}</p>
      {result.parts.map((part, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a result does not change
        <ResultPart key={at} call={call} part={part} place={{ seq: result.seq, part: at }} />
      ))}
    </>
  );
}

interface ResultPartProps {
  readonly call: string;
  readonly part: PartView;
  readonly place: { readonly seq: number; readonly part: number };
}

function ResultPart({ call, part, place }: ResultPartProps): ReactNode {
  if (part.type === "image") return <ImageChip part={part} place={place} />;
  return (
    <WholeText part={part} place={place}>
      {(text) => (terminals.has(call) ? <Terminal output={text} /> : <Coloured text={text} language="" />)}
    </WholeText>
  );
}

const terminals = new Set(["Shell", "AwaitShell", "WriteShellStdin"]);
