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
import type { ConversationState, LoopEvent, Tools, Workspace } from "../../loop/types.ts";
import { type Blob, commitBlob, type Turn, toCheckpoint } from "../dialect/checkpoint.ts";
import { Encoder, notice } from "../dialect/encode.ts";
import { encodeMessage } from "../wire/outbox.ts";
import { Delivery } from "./delivery.ts";
import type { View } from "./view.ts";

/** Text older than this gets a mark behind it. */
const markEveryMs = 1_000;

export interface ProgressOptions {
  readonly clock: Clock;
  readonly tools: Tools;
  readonly installationKey: Uint8Array;
  readonly principal: string;
  readonly workspace: Workspace;
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
  #sentBlobs = new Set<string>();
  #markedMs: number;
  #usedTokens = 0;
  #callId = "";

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#encoder = new Encoder(options.tools, options.workspace, options.clock.now);
    this.#markedMs = options.clock.now();
  }

  publish(events: readonly LoopEvent[], view: View | null): void {
    for (const event of events) {
      if (event.type === "done") this.#answered(event.message, event.usage, view);
      else if (event.type === "operation_completed")
        this.#options.turn.completed(event.operationId, event.outcome.card);
      const message = this.#encoder.encode(event);
      if (message) this.show(message, view);
    }
  }

  show(message: AgentServerMessage, view: View | null): void {
    const envelope = encodeMessage(message);
    this.#delivery.shown(envelope);
    view?.send(envelope);
  }

  /** Writes out what was sent, with a mark behind it when the last one is old. */
  flush(view: View): void {
    const now = this.#options.clock.now();
    if (now - this.#markedMs >= markEveryMs && this.#delivery.unproven.length > 0) this.#mark(view, null);
    view.flush();
  }

  begin(callId: string): void {
    this.#callId = callId;
    this.#encoder.begin(callId);
  }

  boundary(reason: string, view: View | null): void {
    for (const message of this.#encoder.boundary(reason)) this.show(message, view);
  }

  /** What stands in for `state` at the client. Blobs that went out before are not sent again. */
  checkpoint(state: ConversationState): Checkpoint {
    const { installationKey, principal, turn, before, contextWindow } = this.#options;
    const commit = commitBlob(installationKey, principal, state);
    this.#options.saved(commit.id, state);
    const blobs = turn.blobs();
    const turnId = blobs.at(-1)?.id ?? new Uint8Array();
    const tokens = { used: this.#usedTokens, max: contextWindow };
    const value = toCheckpoint(before, turnId, commit.id, tokens, state.run?.setup.mode ?? "agent");
    const update = create(AgentServerMessageSchema, {
      message: { case: "conversationCheckpointUpdate", value },
    });
    return { messages: [...this.#unsent([...blobs, commit]), update], commitId: commit.id };
  }

  sendCheckpoint({ messages, commitId }: Checkpoint, view: View): void {
    for (const message of messages) view.sendMessage(message);
    this.#mark(view, commitId);
  }

  /** A new connection: it gets what no mark has proven, and every blob anew. */
  attach(view: View, state: ConversationState): void {
    this.#delivery.forgetMarks();
    this.#sentBlobs = new Set();
    this.sendCheckpoint(this.checkpoint(state), view);
    for (const envelope of this.#delivery.unproven) view.send(envelope);
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
    this.#markedMs = this.#options.clock.now();
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

/** Said when an answer did not end by itself. */
const stopNotices: Readonly<Record<StopReason, string | null>> = {
  stop: null,
  tool_use: null,
  length: "The answer was cut off at the model's output limit. Send “continue” to go on.",
  filtered: "The model's provider ended this answer for its content rules.",
};
