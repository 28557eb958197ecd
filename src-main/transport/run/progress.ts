/**
 * What the client has been shown of the run in hand: the stream of updates, the turn for its checkpoint, and how much
 * of it is proven delivered. Lives as long as the process knows the run, whatever becomes of the connections.
 */
import { create } from "@bufbuild/protobuf";
import type { Clock } from "../../base/clock.ts";
import { toHex } from "../../base/hash.ts";
import { type AgentServerMessage, AgentServerMessageSchema } from "../../gen/agent/v1/agent_pb.ts";
import type { ConversationStateStructure } from "../../gen/agent/v1/conversation_pb.ts";
import type { AssistantMessage, StopReason, Usage } from "../../llm/types.ts";
import type { ConversationState, LoopEvent, Setup, Tools } from "../../loop/types.ts";
import { type Blob, commitBlob, type Turn, toCheckpoint, todoBlobs } from "../dialect/checkpoint.ts";
import { ContextMeter } from "../dialect/context-meter.ts";
import { encodeDelta } from "../dialect/delta.ts";
import { completedCard, Encoder, notice } from "../dialect/encode.ts";
import { toEnvelope } from "../wire/envelope.ts";
import { encodeMessage } from "../wire/outbox.ts";
import { Delivery } from "./delivery.ts";
import type { View } from "./view.ts";

/** What was written is followed by a mark after this time, whether or not more is written. */
const markAfterMs = 200;

export interface ProgressOptions {
  readonly clock: Clock;
  readonly tools: Tools;
  readonly installationKey: Uint8Array;
  readonly principal: string;
  readonly setup: Setup;
  readonly turn: Turn;
  /** The client's state with the turns before this one. */
  readonly before: ConversationStateStructure;
  /** Of the channel, in tokens. */
  readonly contextWindow: number;
  /** A checkpoint with this commit is about to be sent. */
  saved(commitId: Uint8Array, state: ConversationState): void;
}

export interface Checkpoint {
  readonly messages: readonly AgentServerMessage[];
  readonly commitId: Uint8Array;
}

export class Progress {
  readonly #options: ProgressOptions;
  readonly #encoder: Encoder;
  readonly #delivery = new Delivery();
  readonly #meter = new ContextMeter();
  #sentBlobs = new Set<string>();
  #isUnmarked = false;
  #markDue: (() => void) | null = null;
  #usedTokens = 0;
  #callId = "";

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#encoder = new Encoder(options.tools, options.setup, options.clock.now);
  }

  publish(events: readonly LoopEvent[], view: View | null): void {
    for (const event of events) {
      if (event.type === "done") this.#answered(event.message, event.usage, view);
      else if (event.type === "operation_completed")
        this.#options.turn.completed(event.operationId, event.outcome.card);
      if (event.type === "text_delta" || event.type === "thinking_delta")
        this.#show(toEnvelope(encodeDelta(event)), event.type === "text_delta" ? "text" : "other", view);
      else {
        const message = this.#encoder.encode(event);
        if (message) this.show(message, view);
      }
    }
  }

  show(message: AgentServerMessage, view: View | null): void {
    this.#show(encodeMessage(message), "other", view);
  }

  /** The end of a tool call's card. */
  showEnd(operationId: string, card: Uint8Array, view: View | null): void {
    const message = completedCard(operationId, card);
    if (message) this.show(message, view);
  }

  #show(envelope: Buffer, type: "text" | "other", view: View | null): void {
    this.#delivery.shown(envelope, type === "text" && !view ? "held" : type, this.#options.clock.now());
    this.#isUnmarked = true;
    view?.send(envelope);
  }

  /** Writes out what was sent, and sees to it that a mark follows soon. */
  flush(view: View): void {
    this.#delivery.join();
    view.flush();
    if (this.#isUnmarked) this.#markLater(view);
  }

  #markLater(view: View): void {
    if (this.#markDue) return;
    this.#markDue = this.#options.clock.after(markAfterMs, () => {
      this.#markDue = null;
      if (!this.#isUnmarked) return;
      this.#mark(view, null);
      view.flush();
    });
  }

  begin(callId: string, setup: Setup): void {
    this.#callId = callId;
    this.#delivery.answerBegins();
    this.#encoder.begin(callId, setup);
  }

  /** The answer in hand ends here: no card of it stays open. */
  abandon(reason: string, view: View | null): void {
    for (const message of this.#encoder.abandon(reason)) this.show(message, view);
  }

  boundary(reason: string, view: View | null): void {
    this.#delivery.answerBegins();
    for (const message of this.#encoder.boundary(reason)) this.show(message, view);
  }

  /** What stands in for `state` at the client. Blobs that went out before are not sent again. */
  checkpoint(state: ConversationState): Checkpoint {
    const { installationKey, principal, turn, before, contextWindow } = this.#options;
    const commit = commitBlob(installationKey, principal, state);
    this.#options.saved(commit.id, state);
    const blobs = turn.blobs();
    const todos = todoBlobs(state.todos);
    const value = toCheckpoint(before, {
      turnId: blobs.at(-1)?.id ?? new Uint8Array(),
      commitId: commit.id,
      todoIds: todos.map(({ id }) => id),
      mode: state.run?.setup.mode ?? "agent",
      usedTokens: this.#usedTokens,
      maxTokens: contextWindow,
      context: this.#meter.measure(state),
    });
    const update = create(AgentServerMessageSchema, {
      message: { case: "conversationCheckpointUpdate", value },
    });
    return { messages: [...this.#unsent([...todos, ...blobs, commit]), update], commitId: commit.id };
  }

  sendCheckpoint({ messages, commitId }: Checkpoint, view: View): void {
    for (const message of messages) view.sendMessage(message);
    this.#delivery.saved(commitId);
    this.#mark(view, commitId);
  }

  /**
   * A new connection: it gets what is not proven, an answer in doubt from its beginning; a checkpoint has to follow, with
   * every blob anew. `brought`: the commit of the checkpoint that the client had taken last.
   */
  attach(view: View, brought: Uint8Array | null): void {
    if (brought) this.#delivery.brought(brought);
    this.#delivery.forgetMarks();
    this.#markDue?.();
    this.#markDue = null;
    this.#sentBlobs = new Set();
    const { before, doubtful } = this.#delivery.again();
    for (const envelopes of before) view.send(envelopes);
    if (doubtful.length > 0) for (const message of notice(lostWords)) view.send(encodeMessage(message));
    for (const envelopes of doubtful) view.send(envelopes);
  }

  /** The connection has ended. */
  lost(): void {
    this.#delivery.lost(this.#options.clock.now());
  }

  /** Returns the checkpoint that the answer to `kvId` proves delivered, if it was a mark behind one. */
  acknowledged(kvId: number): Uint8Array | null {
    return this.#delivery.answered(kvId)?.commitId ?? null;
  }

  #answered(message: AssistantMessage, usage: Usage | null, view: View | null): void {
    this.#options.turn.answered(this.#callId, message);
    if (usage) this.#usedTokens = usage.fresh + usage.cached + usage.written + usage.output;
    const text = stopNotices[message.stopReason];
    if (text) for (const each of notice(text)) this.show(each, view);
  }

  #mark(view: View, commitId: Uint8Array | null): void {
    this.#delivery.marked(view.mark(), commitId);
    this.#isUnmarked = false;
  }

  #unsent(blobs: readonly Blob[]): AgentServerMessage[] {
    return blobs.flatMap(({ id, data }) => {
      const name = toHex(id);
      if (this.#sentBlobs.has(name)) return [];
      this.#sentBlobs.add(name);
      return [
        create(AgentServerMessageSchema, {
          message: {
            case: "kvServerMessage",
            value: { message: { case: "setBlobArgs", value: { blobId: id, blobData: data } } },
          },
        }),
      ];
    });
  }
}

/** Said before an answer that the client may have in part. */
export const lostWords = "The connection was lost; the answer follows again.";

/** Said when an answer did not end by itself. */
const stopNotices: Readonly<Record<StopReason, string | null>> = {
  stop: null,
  tool_use: null,
  paused: null,
  length: "The answer was cut off at the model's output limit. Send “continue” to go on.",
  filtered: "The model's provider ended this answer for its content rules.",
};
