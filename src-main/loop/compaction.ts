/**
 * A history that has grown too long is made shorter: a summary, and behind it its newest part as it was.
 *
 *   epoch e      m0 m1 ... m40     |  m41 ... m50  "summarise"        the model's answer becomes the summary
 *   epoch e+1    summary  context     m41 ... m50                     and the run goes on from here
 *
 * Rule 1: a call is never parted from its results, so a history is cut only in front of an answer or of what the
 *         user said.
 * Rule 2: what the user said last, the todos, the files, and the newest context of each kind (rules, environment ...)
 *         are kept word for word, whatever the model makes of the rest.
 * Rule 3: it ends. A history is shortened only where that gains a quarter of the limit, and never twice in a row.
 */
import type { AssistantMessage, ContextMessage, Message } from "../llm/types.ts";
import { append, emptyHistoryHash } from "./history.ts";
import { tokensOf, toTokens } from "./size.ts";
import type { Base, ConversationState, Todo, Tools } from "./types.ts";

/** Of the user's own words, and of an earlier summary where no model made a new one: in characters, at most. */
const mostCharacters = 16_000;
const keptMessages = 3;

/** Asks for the summary. The last message of its epoch. */
export const instruction: ContextMessage = {
  role: "context",
  text: [
    "<summarize>",
    "This conversation is about to leave your context. Write the summary that you will go on from, as plain text;",
    "call no tool. Say: what the user wants, in their words where these matter; what was done, with file paths, names",
    "and commands; what was found out and decided, and why; what failed; where the work stands and what comes next.",
    "Leave out what no longer matters.",
    "</summarize>",
  ].join("\n"),
};

/** Told when another message came instead of the summary. */
export const calledOff: ContextMessage = { role: "context", text: "The summary is no longer wanted." };

/** Tokens of the next request: what the provider counted, and an estimate of what came since. */
function contextTokens({ counted, messages, run }: ConversationState): number {
  if (counted) return counted.tokens + tokensOf(messages.slice(counted.messages));
  const setup = run?.setup;
  const fixed = setup ? setup.system.length + JSON.stringify(setup.tools).length : 0;
  return toTokens(fixed) + tokensOf(messages);
}

export function isTooLong(state: ConversationState): boolean {
  const { run, messages } = state;
  if (!run || contextTokens(state) < run.setup.compactAt) return false;
  const tail = run.setup.compactAt / 4;
  return tokensOf(droppable(messages, tail)) >= tail;
}

/** Whether anything stands before the newest `tail` tokens: one message, or a summary with it, is as short as it gets. */
export const canShorten = ({ messages }: ConversationState, tail: number): boolean =>
  droppable(messages, tail).length > 0;

/** What a summary would take the place of: context and the user's last words are kept anyway. */
function droppable(messages: readonly Message[], tail: number): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === "user");
  return messages.slice(0, cutOf(messages, tail)).filter(({ role }, at) => role !== "context" && at !== last);
}

/**
 * The same conversation in a new epoch: what stands before the newest `tail` tokens is replaced by a summary.
 * `text`: the model's; null when there is none.
 */
export function shorten(
  state: ConversationState,
  text: string | null,
  tail: number,
  tools: Tools,
): { readonly state: ConversationState; readonly base: Base } {
  const messages = isInstruction(state.messages.at(-1)) ? state.messages.slice(0, -1) : state.messages;
  const from = cutOf(messages, tail);
  const kept = messages.slice(from);
  const context = contextOf(messages.slice(0, from), kept);
  const room = Math.min(mostCharacters, Math.floor((state.run?.setup.compactAt ?? 0) / 2) || mostCharacters);
  const summary = toSummary(messages.slice(0, from), { text, todos: state.todos, tools, room });
  const empty = { ...state, epoch: state.epoch + 1, messages: [], historyHash: emptyHistoryHash };
  return {
    state: { ...append(empty, [summary, ...context, ...kept]), counted: null },
    base: {
      cause: "compaction",
      head: 1 + context.length,
      from,
      count: kept.length,
      isAnswer: text !== null,
    },
  };
}

/** Where the newest part of at most `tail` tokens begins: with what the user said, if anything in it is theirs. */
function cutOf(messages: readonly Message[], tail: number): number {
  let tokens = 0;
  let cut = messages.length;
  let user: number | null = null;
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (!message || isSummary(message)) break;
    tokens += tokensOf([message]);
    if (tokens > tail) break;
    if (message.role !== "tool") cut = at;
    if (message.role === "user" || message.role === "context") user = at;
  }
  return user ?? cut;
}

interface Material {
  readonly text: string | null;
  readonly todos: readonly Todo[];
  readonly tools: Tools;
  /** Characters, of each part that could be long. */
  readonly room: number;
}

/** The newest context of each kind, where it stands before what is kept. */
function contextOf(dropped: readonly Message[], kept: readonly Message[]): readonly Message[] {
  const known = new Set(kept.map(kindOf));
  const found: Message[] = [];
  for (const message of dropped.toReversed()) {
    const kind = kindOf(message);
    if (kind === null || momentary.has(kind) || known.has(kind)) continue;
    known.add(kind);
    found.unshift(message);
  }
  return found;
}

/** The tag that a context message begins with. */
const kindOf = (message: Message): string | null =>
  (message.role === "context" ? /^<(\w+)>/.exec(message.text)?.[1] : null) ?? null;

/** Kinds that are about one moment. */
const momentary: ReadonlySet<string> = new Set(["summary", "summarize", "cut_off", "earlier_conversation"]);

function toSummary(dropped: readonly Message[], { text, todos, tools, room }: Material): ContextMessage {
  const before = dropped.find(isSummary);
  const earlier = before?.role === "context" ? before.text : "";
  const files = new Set([
    ...linesIn("files", earlier),
    ...dropped
      .flatMap((message) => (message.role === "assistant" ? callsOf(message) : []))
      .flatMap(tools.filesOf),
  ]);
  const open = todos.filter(({ status }) => status === "pending" || status === "in_progress");
  const parts = [
    "Everything before this point was shortened to fit the context. This replaces it.",
    text ?? (tagged("earlier", earlier.slice(-room)) || "No summary of it could be made."),
    tagged(
      "last_user_messages",
      lastWords(dropped, room) || linesIn("last_user_messages", earlier).join("\n"),
    ),
    tagged("open_todos", open.map(({ id, content, status }) => `${id} (${status}): ${content}`).join("\n")),
    tagged("files", [...files].join("\n")),
  ];
  return { role: "context", text: tagged("summary", parts.filter(Boolean).join("\n\n")) };
}

/** What the user said last, newest first until there is room for no more; the newest one always. */
function lastWords(dropped: readonly Message[], room: number): string {
  const said = dropped.flatMap((message) => (message.role === "user" ? [textOf(message)] : []));
  const kept: string[] = [];
  let left = room;
  for (const each of said.slice(-keptMessages).toReversed()) {
    if (kept.length > 0 && each.length > left) break;
    kept.unshift(each.length > room ? `${each.slice(0, room)}\n(the rest was left out)` : each);
    left -= each.length;
  }
  return kept.join("\n---\n");
}

const textOf = ({ parts }: Extract<Message, { readonly role: "user" }>): string =>
  parts.map((part) => (part.type === "text" ? part.text : "(an image)")).join("\n");

const callsOf = ({ blocks }: AssistantMessage) => blocks.filter((block) => block.type === "tool_call");

export const isInstruction = (message: Message | undefined): boolean =>
  message?.role === "context" && message.text === instruction.text;

const isSummary = (message: Message): boolean => kindOf(message) === "summary";

const tagged = (tag: string, text: string): string => (text === "" ? "" : `<${tag}>\n${text}\n</${tag}>`);

/** What `tagged` had put between a tag, line by line. */
function linesIn(tag: string, text: string): readonly string[] {
  const start = text.lastIndexOf(`<${tag}>\n`);
  const end = text.indexOf(`\n</${tag}>`, start);
  return start < 0 || end < 0 ? [] : text.slice(start + tag.length + 3, end).split("\n");
}
