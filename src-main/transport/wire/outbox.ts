/**
 * The server's messages of one attempt: an ordered queue straight onto the response.
 *
 * Rule: whoever sends, flushes once when its chunk of work is done, so a burst of deltas is one write. A heartbeat
 * goes out after 5 s without a write; the client drops an attempt after 30 s of silence.
 */
import { toBinary } from "@bufbuild/protobuf";
import type { Clock } from "../../base/clock.ts";
import { type AgentServerMessage, AgentServerMessageSchema } from "../../gen/agent/v1/agent_pb.ts";
import { heartbeat } from "../dialect/encode.ts";
import { endFlag, toEnvelope } from "./envelope.ts";
import { endOfStream, type Problem } from "./errors.ts";
import type { HttpResponse } from "./http.ts";

const heartbeatMs = 5_000;

export const encodeMessage = (message: AgentServerMessage): Buffer =>
  toEnvelope(toBinary(AgentServerMessageSchema, message));

const streamHead = {
  "content-type": "application/connect+proto",
  "cache-control": "no-store",
  // For a proxy of the user's own in front of us (C53).
  "x-accel-buffering": "no",
};

export class Outbox {
  readonly #response: HttpResponse;
  readonly #clock: Clock;
  readonly #seen: (envelope: Buffer) => void;
  #queue: Buffer[] = [];
  #stopHeartbeat: () => void = () => {};
  #ended = false;

  /** `seen` hears of every envelope. */
  constructor(response: HttpResponse, clock: Clock, seen: (envelope: Buffer) => void = () => {}) {
    this.#seen = seen;
    this.#response = response;
    this.#clock = clock;
    response.writeHead(200, streamHead);
    response.flushHeaders?.();
    this.#beatLater();
  }

  send(message: AgentServerMessage): void {
    this.sendEncoded(encodeMessage(message));
  }

  /** An envelope that was encoded before. */
  sendEncoded(envelope: Buffer): void {
    this.#seen(envelope);
    this.#queue.push(envelope);
  }

  flush(): void {
    const [first] = this.#queue;
    if (!first || this.#ended) return;
    const bytes = this.#queue.length === 1 ? first : Buffer.concat(this.#queue);
    this.#queue = [];
    this.#response.write(bytes);
    this.#beatLater();
  }

  /** Whether the client takes the bytes slower than they come. */
  get isFull(): boolean {
    return this.#response.writableNeedDrain;
  }

  /** Resolves when the client has caught up, or is gone. */
  drained(): Promise<void> {
    if (!this.isFull) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        this.#response.off("drain", done);
        this.#response.off("close", done);
        resolve();
      };
      this.#response.once("drain", done);
      this.#response.once("close", done);
    });
  }

  /** The last envelope, and the end of the response. */
  end(problem: Problem | null): void {
    if (this.#ended) return;
    this.#queue.push(toEnvelope(Buffer.from(endOfStream(problem)), endFlag));
    this.flush();
    this.close();
    this.#response.end();
  }

  /** Stops writing without a last envelope: the client is gone, or is to come back. */
  close(): void {
    this.#ended = true;
    this.#queue = [];
    this.#stopHeartbeat();
  }

  #beatLater(): void {
    this.#stopHeartbeat();
    this.#stopHeartbeat = this.#clock.after(heartbeatMs, () => {
      this.send(heartbeat());
      this.flush();
    });
  }
}
