/** What an adapter made of a recording, beside what the manifest expects: a line a difference. */
import { isDeepStrictEqual } from "node:util";
import type { AssistantMessage, ResponseEvent, ToolCall, Usage } from "../../src-main/llm/types.ts";
import type { Expected, ExpectedCall } from "./manifest.ts";

export function differencesOf(events: readonly ResponseEvent[], expected: Expected): readonly string[] {
  const last = events.at(-1);
  const told = { text: textOf(events, "text_delta"), thinking: textOf(events, "thinking_delta") };
  const stop = stopOf(last);
  return [
    ...differ("order", orderOf(events), null),
    ...differ("text", told.text, expected.text),
    ...differ("thinking", told.thinking, expected.thinking || (expected.thinkingRaw ?? "")),
    ...(isAsExpected(stop, expected) ? [] : differ("stop reason", stop, wantedStop(expected))),
    ...(last?.type === "done" ? ofAnswer(last, expected) : ofError(last, expected)),
  ];
}

function differ(what: string, got: unknown, wanted: unknown): readonly string[] {
  if (isDeepStrictEqual(got, wanted)) return [];
  return [`${what}: ${shown(got)} instead of ${shown(wanted)}`];
}

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 300 ? `${text.slice(0, 300)}… (${text.length})` : text;
};

const textOf = (events: readonly ResponseEvent[], type: "text_delta" | "thinking_delta"): string =>
  events.map((event) => (event.type === type ? event.text : "")).join("");

// ---- how it ended --------------------------------------------------------------------------------------

const ours: Readonly<Record<string, string>> = {
  toolUse: "tool_use",
  contentFilter: "filtered",
  pause: "paused",
};

/** A refusal without a word is an error here, and a reason that nobody knows is as good as none. */
function stopOf(last: ResponseEvent | undefined): string {
  if (last?.type === "done") return last.message.stopReason;
  return last?.type === "error" && last.error.code === "filtered" ? "filtered" : "error";
}

function wantedStop({ stopReason, stopReasonSuggested }: Expected): string {
  const word = stopReason === "missing" ? (stopReasonSuggested ?? stopReason) : stopReason;
  if (word.startsWith("unknown:")) return "stop";
  return ours[word] ?? word;
}

const isAsExpected = (stop: string, expected: Expected): boolean => stop === wantedStop(expected);

function ofError(last: ResponseEvent | undefined, { error }: Expected): readonly string[] {
  if (last?.type !== "error") return ["it has no end"];
  const words = error?.message.slice(0, 100) ?? "";
  return last.error.message.includes(words) ? [] : differ("error", last.error.message, error?.message);
}

function ofAnswer(
  { message, usage, responseId }: Extract<ResponseEvent, { readonly type: "done" }>,
  expected: Expected,
): readonly string[] {
  const calls = message.blocks.filter((block) => block.type === "tool_call");
  return [
    ...differ(
      "calls",
      calls.map((call, at) => comparable(call, expected.toolCalls[at])),
      expected.toolCalls.map(wantedCall),
    ),
    ...differ("usage", usage, wantedUsage(expected)),
    ...differ("response id", responseId ?? null, expected.responseId),
    ...differ(
      "signatures",
      signaturesOf(message),
      expected.signatures.map(({ kind, length }) => `${kind} ${length}`),
    ),
  ];
}

// ---- its parts -----------------------------------------------------------------------------------------

/** An id is compared where the provider gave one, the text of the arguments where it is known. */
const comparable = (call: ToolCall, beside: ExpectedCall | undefined) => ({
  id: beside?.id === null ? null : call.id,
  name: call.name,
  raw: beside?.argumentsRaw === null ? null : call.arguments,
  arguments: typeof beside?.arguments === "string" ? call.arguments : parsed(call.arguments),
});

const wantedCall = ({ id, name, argumentsRaw, arguments: value }: ExpectedCall) => ({
  id,
  name,
  raw: argumentsRaw,
  arguments: value,
});

function parsed(text: string): unknown {
  try {
    return text === "" ? {} : JSON.parse(text);
  } catch {
    return null;
  }
}

function wantedUsage({ usage }: Expected): Usage | null {
  if (!usage) return null;
  const { inputTotal, outputTotal, cacheRead, cacheWrite, reasoning } = usage;
  const cached = Math.min(cacheRead ?? 0, inputTotal);
  const written = cacheWrite ?? 0;
  // Seen: one more reasoning token than there were output tokens.
  const part = Math.min(reasoning ?? 0, outputTotal);
  return { fresh: inputTotal - cached - written, cached, written, output: outputTotal, reasoning: part };
}

/** What has to go back unchanged, as kind and length. */
function signaturesOf({ blocks }: AssistantMessage): readonly string[] {
  return blocks.flatMap(({ opaque = {} }) => {
    const { signature, block, item, thoughtSignature, details, part } = opaque as Record<string, never>;
    return [
      ...named("thinking.signature", signature),
      ...named("redacted_thinking.data", dataOf(block)),
      ...named(
        "reasoning.encrypted_content",
        (item as { encrypted_content?: string } | undefined)?.encrypted_content,
      ),
      ...named(
        "thoughtSignature",
        thoughtSignature ?? (part as { thoughtSignature?: string } | undefined)?.thoughtSignature,
      ),
      ...((details ?? []) as { readonly data?: string; readonly signature?: string }[]).flatMap((detail) => [
        ...named("reasoning_details.encrypted", detail.data),
        ...named("reasoning_details.signature", detail.signature),
      ]),
    ];
  });
}

const dataOf = (block: { readonly type?: string; readonly data?: string } | undefined): string | undefined =>
  block?.type === "redacted_thinking" ? block.data : undefined;

const named = (kind: string, value: string | undefined): readonly string[] =>
  value ? [`${kind} ${value.length}`] : [];

/** Blocks open in order, grow while they are open, and are all closed; null: so it was. */
export function orderOf(events: readonly ResponseEvent[]): string | null {
  const end = events.findIndex(({ type }) => type === "done" || type === "error");
  if (end !== events.length - 1) return "an end in the middle, or none";
  const open = new Map<number, string>();
  const state = { blocks: 0 };
  for (const event of events) {
    const fault = "index" in event ? faultOf(event, open, state) : null;
    if (fault) return fault;
  }
  return events.at(-1)?.type === "done" && open.size > 0 ? "a block was left open" : null;
}

function faultOf(
  { type, index }: Extract<ResponseEvent, { readonly index: number }>,
  open: Map<number, string>,
  state: { blocks: number },
): string | null {
  const [, kind = "", step] = /^(.*)_(start|delta|end)$/.exec(type) ?? [];
  if (step === "start") {
    open.set(index, kind);
    return index === state.blocks++ ? null : `block ${index} opened out of order`;
  }
  const isOpen = open.get(index) === kind;
  if (step === "end") open.delete(index);
  return isOpen ? null : `${type} of a block that is not open`;
}
