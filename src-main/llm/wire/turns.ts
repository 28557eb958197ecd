/**
 * The history as every wire wants it: what the user's side says, what the model said, and the results of one answer
 * together, each tied to its call.
 *
 * Models repeat ids, leave them empty, or mint them in a form that another provider refuses. So a call is known by its
 * place, and gets an id for the wire: its own where that fits and is new, else one derived from it. A call without a
 * result gets one that says so, a result without a call is left out: providers refuse a history with either.
 * All of it depends on what stands before alone, so a message keeps its bytes when the history grows.
 */
import { sha256, toHex } from "../../base/hash.ts";
import { isObject, type JsonObject, parseJson } from "../../base/json.ts";
import type {
  AssistantMessage,
  Channel,
  ContextMessage,
  ImagePart,
  Message,
  TextBlock,
  ThinkingBlock,
  ToolCall,
  ToolResultMessage,
  UserMessage,
} from "../types.ts";

export type Turn = UserTurn | AssistantTurn | ResultsTurn;

export interface UserTurn {
  readonly type: "user";
  readonly parts: UserMessage["parts"];
}

export interface AssistantTurn {
  readonly type: "assistant";
  /** This channel said it: its signatures and ids may go back. */
  readonly isOwn: boolean;
  readonly blocks: readonly (TextBlock | ThinkingBlock | WireCall)[];
}

export interface WireCall extends ToolCall {
  readonly wireId: string;
  /** The arguments; {} for those that are no JSON object. They never ran: their result says so. */
  readonly input: JsonObject;
}

/** Of all calls of the answer before it. */
export interface ResultsTurn {
  readonly type: "results";
  readonly isOwn: boolean;
  readonly results: readonly WireResult[];
}

export interface WireResult {
  readonly call: WireCall;
  readonly text: string;
  readonly isError: boolean;
  readonly images: readonly ImagePart[];
}

/** What an id may look like on a wire. */
export interface IdRule {
  readonly pattern: RegExp;
  /** An id that fits, from hexadecimal digits. */
  mint(digits: string): string;
}

export function toTurns(messages: readonly Message[], channel: Channel, rule: IdRule): readonly Turn[] {
  const ids = new Ids(rule);
  const turns: Turn[] = [];
  let at = 0;
  while (at < messages.length) {
    const message = messages[at++];
    if (message?.role === "user" || message?.role === "context") turns.push(userTurn(message));
    if (message?.role !== "assistant") continue;
    const answer = assistantTurn(message, channel, ids);
    turns.push(answer);
    const results: ToolResultMessage[] = [];
    for (let next = messages[at]; next?.role === "tool"; next = messages[++at]) results.push(next);
    const paired = pair(answer, results, at === messages.length);
    if (paired.length > 0) turns.push({ type: "results", isOwn: answer.isOwn, results: paired });
  }
  return turns;
}

const userTurn = (message: UserMessage | ContextMessage): UserTurn => ({
  type: "user",
  parts: message.role === "user" ? message.parts : [{ type: "text", text: message.text }],
});

function assistantTurn({ blocks, channelId }: AssistantMessage, channel: Channel, ids: Ids): AssistantTurn {
  const isOwn = channelId === channel.id;
  return {
    type: "assistant",
    isOwn,
    blocks: blocks.map((block) =>
      block.type === "tool_call"
        ? { ...block, wireId: ids.next(block.id, isOwn), input: objectIn(block.arguments) ?? {} }
        : block,
    ),
  };
}

/** `isLast`: an answer whose calls are still open; such a history is never sent. */
function pair(
  { blocks }: AssistantTurn,
  results: readonly ToolResultMessage[],
  isLast: boolean,
): readonly WireResult[] {
  const left = [...results];
  return blocks.flatMap((call) => {
    if (call.type !== "tool_call") return [];
    const at = left.findIndex(({ toolCallId }) => toolCallId === call.id);
    const [result] = at < 0 ? [] : left.splice(at, 1);
    if (!result) return isLast && results.length === 0 ? [] : [{ call, ...lost }];
    return [{ call, text: result.text, isError: result.isError, images: result.images ?? [] }];
  });
}

const lost = { text: "This call was not carried out; it has no result.", isError: true, images: [] } as const;

/** The object that a text of JSON holds; null: it holds none, or one nested too deep to be written again. */
export function objectIn(text: string): JsonObject | null {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

class Ids {
  readonly #rule: IdRule;
  readonly #used = new Set<string>();

  constructor(rule: IdRule) {
    this.#rule = rule;
  }

  /** A channel's own ids go back as they came, whatever they look like. */
  next(id: string, isOwn: boolean): string {
    const fits = id !== "" && (isOwn || this.#rule.pattern.test(id));
    let wireId = fits ? id : this.#minted(id, 0);
    for (let attempt = 1; this.#used.has(wireId); attempt++) wireId = this.#minted(id, attempt);
    this.#used.add(wireId);
    return wireId;
  }

  #minted(id: string, attempt: number): string {
    return this.#rule.mint(toHex(sha256(`${id}\0${this.#used.size}\0${attempt}`)).slice(0, 24));
  }
}
