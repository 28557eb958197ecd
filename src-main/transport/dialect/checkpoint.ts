/**
 * A turn as the client keeps it: blobs named by their hash, and one state that names the blobs.
 *
 *   state.turns[i] -> ConversationTurnStructure -> user message, steps -> text | thinking | tool card
 *   state.root_prompt_messages_json[0] -> our commit: comes back verbatim next turn, and names what we had committed
 *
 * The turns before this one are the client's own: they are passed on as they came, never rebuilt.
 */
import { clone, create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { hmac, sha256, toHex } from "../../base/hash.ts";
import {
  AgentMode,
  type ConversationStateStructure,
  ConversationStateStructureSchema,
  ConversationTokenDetailsSchema,
  ConversationTurnStructureSchema,
} from "../../gen/agent/v1/conversation_pb.ts";
import { TodoItemSchema } from "../../gen/agent/v1/queries_pb.ts";
import { ConversationStepSchema, ToolCallSchema } from "../../gen/agent/v1/tools_pb.ts";
import type { AssistantMessage } from "../../llm/types.ts";
import type { ConversationState, Mode, Todo } from "../../loop/types.ts";
import { type Share, toBreakdown, totalTokens } from "./context-meter.ts";
import { cardIdOf } from "./ids.ts";
import { toTodoItem } from "./todos.ts";

export interface Blob {
  readonly id: Uint8Array;
  readonly data: Uint8Array;
}

/** Collects the steps of the turn in hand as they are committed. */
export class Turn {
  readonly #userMessage: Uint8Array;
  readonly #requestId: string;
  readonly #steps: { readonly cardId: string | null; blob: Blob | null }[] = [];

  /** `userMessage`: the bytes of the client's own UserMessage. */
  constructor(userMessage: Uint8Array, requestId: string) {
    this.#userMessage = userMessage;
    this.#requestId = requestId;
  }

  answered(callId: string, message: AssistantMessage): void {
    let calls = 0;
    for (const block of message.blocks) {
      switch (block.type) {
        case "text":
          this.#add({ message: { case: "assistantMessage", value: { text: block.text } } });
          break;
        case "thinking":
          this.#add({ message: { case: "thinkingMessage", value: { text: block.text } } });
          break;
        case "tool_call":
          this.#steps.push({ cardId: cardIdOf(callId, calls++), blob: null });
          break;
      }
    }
  }

  /** `card`: bytes of a ToolCall; empty for a call that has none. */
  completed(cardId: string, card: Uint8Array): void {
    const step = this.#steps.findLast((candidate) => candidate.cardId === cardId);
    if (!step || card.length === 0) return;
    step.blob = encodeStep({ message: { case: "toolCall", value: lean(card, cardId) } });
  }

  /** The blobs of this turn; the last one is the turn itself. */
  blobs(): readonly Blob[] {
    const user = toBlob(this.#userMessage);
    const steps = this.#steps.flatMap(({ blob }) => (blob ? [blob] : []));
    const turn = create(ConversationTurnStructureSchema, {
      turn: {
        case: "agentConversationTurn",
        value: { userMessage: user.id, steps: steps.map(({ id }) => id), requestId: this.#requestId },
      },
    });
    return [user, ...steps, toBlob(toBinary(ConversationTurnStructureSchema, turn))];
  }

  #add(step: MessageInitShape<typeof ConversationStepSchema>): void {
    this.#steps.push({ cardId: null, blob: encodeStep(step) });
  }
}

/**
 * The commit a state stands for, as a blob. Only this installation can have made it: HMAC over who, which
 * conversation, epoch, length and history. The blob's id alone finds the commit again.
 */
export function commitBlob(key: Uint8Array, principal: string, state: ConversationState): Blob {
  const { conversationId, epoch, messages, historyHash } = state;
  const name = hmac(key, [principal, conversationId, epoch, messages.length].join("\0"), "\0", historyHash);
  return toBlob(Buffer.from(JSON.stringify({ role: "system", content: `ownkey commit ${toHex(name)}` })));
}

export const todoBlobs = (todos: readonly Todo[]): readonly Blob[] =>
  todos.map((todo) => toBlob(toBinary(TodoItemSchema, create(TodoItemSchema, toTodoItem(todo)))));

/** What a checkpoint says beside the turns before. */
export interface Standing {
  readonly turnId: Uint8Array;
  readonly commitId: Uint8Array;
  readonly todoIds: readonly Uint8Array[];
  readonly mode: Mode;
  /** What the provider counted last; 0 before it did, and our estimate stands in. */
  readonly usedTokens: number;
  readonly maxTokens: number;
  readonly context: readonly Share[];
}

/** `before` is the state the client brought, its `turns` those before this turn. */
export function toCheckpoint(
  before: ConversationStateStructure,
  { turnId, commitId, todoIds, mode, usedTokens, maxTokens, context }: Standing,
): ConversationStateStructure {
  const state = clone(ConversationStateStructureSchema, before);
  state.turns.push(turnId);
  state.rootPromptMessagesJson = [commitId];
  state.todos = [...todoIds];
  state.tokenDetails = create(ConversationTokenDetailsSchema, {
    usedTokens: usedTokens || totalTokens(context),
    maxTokens,
    breakdown: toBreakdown(context, maxTokens),
  });
  state.mode = modes[mode];
  return state;
}

export const commitIdOf = (state: ConversationStateStructure | undefined): Uint8Array | null =>
  state?.rootPromptMessagesJson[0] ?? null;

const modes: Readonly<Record<Mode, AgentMode>> = {
  agent: AgentMode.AGENT,
  ask: AgentMode.ASK,
  plan: AgentMode.PLAN,
  debug: AgentMode.DEBUG,
};

/** An edit's card without the two whole files: they would be kept twice for ever. */
function lean(card: Uint8Array, cardId: string) {
  const value = fromBinary(ToolCallSchema, card);
  value.toolCallId = cardId;
  const result = value.tool.case === "editToolCall" ? value.tool.value.result?.result : undefined;
  if (result?.case === "success") {
    result.value.afterFullFileContent = "";
    delete result.value.beforeFullFileContent;
  }
  return value;
}

const encodeStep = (step: MessageInitShape<typeof ConversationStepSchema>): Blob =>
  toBlob(toBinary(ConversationStepSchema, create(ConversationStepSchema, step)));

export const toBlob = (data: Uint8Array): Blob => ({ id: sha256(data), data });
