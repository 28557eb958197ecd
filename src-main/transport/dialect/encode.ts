/**
 * What the loop says -> what the client shows. One row an event; null means the client is not told.
 *
 * The started card waits for the commit (operation_started) instead of the end of the call in the stream: a try that
 * breaks off leaves at most partial cards, and `boundary` completes those.
 */
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { type AgentServerMessage, AgentServerMessageSchema } from "../../gen/agent/v1/agent_pb.ts";
import type { InteractionUpdateSchema } from "../../gen/agent/v1/interaction_pb.ts";
import {
  InteractionQuerySchema,
  type InteractionResponse,
  InteractionResponseSchema,
} from "../../gen/agent/v1/queries_pb.ts";
import { ToolCallSchema } from "../../gen/agent/v1/tools_pb.ts";
import type { Usage } from "../../llm/types.ts";
import type { LoopEvent, Setup, Tools } from "../../loop/types.ts";
import { callIdOfCard, cardIdOf } from "./ids.ts";
import { cardNameOf, startedCard } from "./tools/carry-out.ts";
import type { Card } from "./tools/tool.ts";
import { WholeCharacters } from "./whole-characters.ts";

type Update = NonNullable<MessageInitShape<typeof InteractionUpdateSchema>["message"]>;

type Rows = {
  readonly [K in LoopEvent["type"]]: (
    event: Extract<LoopEvent, { readonly type: K }>,
    stream: StreamCards,
  ) => Update | null;
};

interface PartialCard {
  readonly id: string;
  readonly name: string;
  readonly modelId: string;
}

/** What has to be remembered between the events of one call: which block is which card, and since when it thinks. */
interface StreamCards {
  readonly callId: string;
  readonly setup: Setup;
  readonly cards: Map<number, PartialCard>;
  readonly now: () => number;
  thinkingSince: number;
}

const silent = () => null;

const rows: Rows = {
  start: silent,
  text_start: silent,
  text_delta: ({ text }) => ({ case: "textDelta", value: { text } }),
  text_end: silent,
  thinking_start: (_, stream) => {
    stream.thinkingSince = stream.now();
    return null;
  },
  thinking_delta: ({ text }) => ({ case: "thinkingDelta", value: { text } }),
  thinking_end: (_, stream) => ({
    case: "thinkingCompleted",
    value: { thinkingDurationMs: stream.now() - stream.thinkingSince },
  }),
  tool_call_start: ({ index, id, name }, stream) => {
    const card = { id: cardIdOf(stream.callId, stream.cards.size), name, modelId: id };
    stream.cards.set(index, card);
    return partial(stream, index, "");
  },
  tool_call_delta: ({ index, text }, stream) => partial(stream, index, text),
  tool_call_end: silent,
  operation_started: ({ operationId, call }, stream) => {
    const tool = startedCard(call, { operationId, setup: stream.setup });
    return (
      tool && {
        case: "toolCallStarted",
        value: {
          callId: operationId,
          modelCallId: callIdOfCard(operationId),
          toolCall: { tool, toolCallId: operationId },
        },
      }
    );
  },
  operation_completed: ({ operationId, outcome }, stream) => {
    for (const [index, card] of stream.cards) if (card.id === operationId) stream.cards.delete(index);
    return completed(operationId, outcome.card);
  },
  injected: ({ injectionId, state }) => ({
    case: "contextInjectionState",
    value: { injectionId, state: { state: { case: state, value: {} } } },
  }),
  summary_started: () => ({ case: "summaryStarted", value: {} }),
  summary: ({ text }) => ({ case: "summary", value: { summary: text } }),
  summary_completed: () => ({ case: "summaryCompleted", value: {} }),
  done: silent, // what follows from it is the tail's or the next call's to say
  error: silent, // becomes the end of the stream
};

export class Encoder {
  readonly #tools: Tools;
  readonly #now: () => number;
  #stream: StreamCards;
  #characters = new WholeCharacters();

  constructor(tools: Tools, setup: Setup, now: () => number) {
    this.#tools = tools;
    this.#now = now;
    this.#stream = { callId: "", setup, cards: new Map(), now, thinkingSince: now() };
  }

  /** A provider request begins; blocks are numbered anew. `setup` may have changed with the mode. */
  begin(callId: string, setup: Setup): void {
    this.#stream = { ...this.#stream, callId, setup, cards: new Map(), thinkingSince: this.#now() };
    this.#characters = new WholeCharacters();
  }

  encode(event: LoopEvent): AgentServerMessage | null {
    const row = rows[event.type] as (event: LoopEvent, stream: StreamCards) => Update | null;
    const update = row(this.#characters.join(event), this.#stream);
    return update && toMessage(update);
  }

  /**
   * Marks that what was shown of a broken answer is followed by a new one. A thinking block: as text it would
   * become part of the client's result (PROTOCOL.md section 10). Cards left open are completed with `reason`.
   */
  boundary(reason: string): AgentServerMessage[] {
    return [...this.abandon(reason), ...notice(reason)];
  }

  /** Completes the cards that were left open. */
  abandon(reason: string): AgentServerMessage[] {
    const abandoned = [...this.#stream.cards.values()].map(({ id, name, modelId }) => {
      const call = { type: "tool_call", id: modelId, name, arguments: "" } as const;
      const spec = this.#stream.setup.tools.find((tool) => tool.name === name) ?? null;
      return completed(id, this.#tools.fail(call, reason, spec).card);
    });
    this.#stream.cards.clear();
    return abandoned.filter((update) => update !== null).map(toMessage);
  }
}

/** Something the user should know that is not the model's answer. */
export const notice = (text: string): AgentServerMessage[] => [
  toMessage({ case: "thinkingDelta", value: { text } }),
  toMessage({ case: "thinkingCompleted", value: { thinkingDurationMs: 0 } }),
];

/** The client adds up input, output, cache read and cache write as the run's total. */
export const turnEnded = (usage: Usage): AgentServerMessage =>
  toMessage({
    case: "turnEnded",
    value: {
      inputTokens: BigInt(usage.fresh),
      outputTokens: BigInt(usage.output),
      cacheReadTokens: BigInt(usage.cached),
      cacheWriteTokens: BigInt(usage.written),
      reasoningTokens: BigInt(usage.reasoning),
    },
  });

export const heartbeat = (): AgentServerMessage => toMessage({ case: "heartbeat", value: {} });

/** A question to the user; `query` holds an InteractionQuery without its number. */
export function toQuery(id: number, query: Uint8Array): AgentServerMessage {
  const value = fromBinary(InteractionQuerySchema, query);
  value.id = id;
  return create(AgentServerMessageSchema, { message: { case: "interactionQuery", value } });
}

/** What the user answered, as it is kept: without the number of this connection. */
export const encodeResponse = ({ result }: InteractionResponse): Uint8Array =>
  toBinary(InteractionResponseSchema, create(InteractionResponseSchema, { result }));

/** Live output of a shell, into its card. */
export const shellDelta = (
  operationId: string,
  stream: "stdout" | "stderr",
  content: string,
): AgentServerMessage =>
  toMessage({
    case: "toolCallDelta",
    value: {
      callId: operationId,
      modelCallId: callIdOfCard(operationId),
      toolCallDelta: {
        delta: {
          case: "shellToolCallDelta",
          value: { delta: { case: stream, value: { content } } },
        },
      },
    },
  });

function partial(stream: StreamCards, index: number, argsTextDelta: string): Update | null {
  const card = stream.cards.get(index);
  const name = card && cardNameOf(card.name, stream.setup.tools);
  if (!card || !name) return null;
  return {
    case: "partialToolCall",
    value: {
      callId: card.id,
      modelCallId: stream.callId,
      argsTextDelta,
      toolCall: { tool: { case: name, value: {} } as Card },
    },
  };
}

/** null: it has none. */
export function completedCard(operationId: string, card: Uint8Array): AgentServerMessage | null {
  const update = completed(operationId, card);
  return update && toMessage(update);
}

const completed = (operationId: string, card: Uint8Array): Update | null =>
  card.length === 0
    ? null
    : {
        case: "toolCallCompleted",
        value: {
          callId: operationId,
          modelCallId: callIdOfCard(operationId),
          toolCall: { ...fromBinary(ToolCallSchema, card), toolCallId: operationId },
        },
      };

const toMessage = (message: Update): AgentServerMessage =>
  create(AgentServerMessageSchema, { message: { case: "interactionUpdate", value: { message } } });
