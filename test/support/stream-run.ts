/** AgentService/Run as a client speaks it: both halves in one HTTP/2 stream, answered as by Cursor's client. */
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import { create, fromBinary } from "@bufbuild/protobuf";
import {
  AgentRunRequestSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
} from "../../src-main/gen/agent/v1/agent_pb.ts";
import type { ExecServerMessage } from "../../src-main/gen/agent/v1/exec_pb.ts";
import type { KvServerMessage } from "../../src-main/gen/agent/v1/kv_pb.ts";
import { Machine } from "./machine.ts";
import { type End, readEnd, Sight } from "./sight.ts";
import { type ClientMessage, encodeClient, envelopeOf, newId } from "./wire.ts";

export interface StreamOptions {
  /** Of the user's message; without one nothing is sent by itself. */
  readonly text?: string;
  readonly path?: string;
  readonly token?: string;
  readonly requestId?: string;
  readonly runId?: string;
  readonly conversationId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly machine?: Machine;
  /** Questions that are left unanswered. */
  readonly hold?: (exec: ExecServerMessage) => boolean;
  /** How a message becomes an envelope; plain by default. */
  readonly pack?: (message: Uint8Array) => Uint8Array;
  /** What is said in one go is joined and written in pieces of so many bytes. */
  readonly pieces?: number;
}

export const runPath = "/agent.v1.AgentService/Run";

export class StreamRun extends Sight {
  readonly stream: ClientHttp2Stream;
  readonly requestId: string;
  readonly runId: string;
  readonly held: ExecServerMessage[] = [];
  readonly #options: StreamOptions;
  readonly #machine: Machine;
  readonly #blobs = new Map<string, Uint8Array>();
  #status = 0;
  /** Of the envelope that is coming in. */
  #parts: Buffer[] = [];
  #size = 0;
  #wanted = headerBytes;
  #unsaid: Uint8Array[] = [];

  constructor(session: ClientHttp2Session, options: StreamOptions) {
    super();
    this.#options = options;
    this.#machine = options.machine ?? new Machine();
    this.requestId = options.requestId ?? newId("request");
    this.runId = options.runId ?? this.requestId;
    this.stream = session.request({
      ":method": "POST",
      ":path": options.path ?? runPath,
      authorization: `Bearer ${options.token ?? "token-a"}`,
      "content-type": "application/connect+proto",
      "connect-protocol-version": "1",
      "x-request-id": this.requestId,
      ...options.headers,
    });
    this.#listen();
    if (options.text !== undefined) this.begin(options.text);
  }

  begin(text: string): void {
    const value = create(AgentRunRequestSchema, {
      action: { action: { case: "userMessageAction", value: { userMessage: { text } } } },
      requestedModel: { modelId: "ch_1" },
      conversationId: this.#options.conversationId ?? this.runId,
      runId: this.runId,
    });
    this.send({ case: "runRequest", value });
  }

  send(message: ClientMessage): void {
    const { pack = envelopeOf } = this.#options;
    this.write(pack(encodeClient(message)));
  }

  write(bytes: Uint8Array): void {
    const { pieces } = this.#options;
    if (pieces === undefined) return this.#put(bytes);
    if (this.#unsaid.length === 0) setImmediate(() => this.#say(pieces));
    this.#unsaid.push(bytes);
  }

  async ended(): Promise<End> {
    await this.until(() => this.end !== null, "the stream ends");
    return this.end ?? { type: "dropped" };
  }

  async answer(exec: ExecServerMessage): Promise<void> {
    for await (const message of this.#machine.carryOut(exec))
      this.send({ case: "execClientMessage", value: { id: exec.id, message } });
    this.close(exec);
  }

  close({ id }: ExecServerMessage): void {
    const message = { case: "streamClose", value: { id } } as const;
    this.send({ case: "execClientControlMessage", value: { message } });
  }

  // ---- inside ------------------------------------------------------------------------------------------

  #listen(): void {
    this.stream.on("error", () => {});
    this.stream.once("response", (headers) => {
      this.#status = Number(headers[":status"]);
    });
    this.stream.on("data", (chunk: Buffer) => this.#take(chunk));
    this.stream.once("end", () => {
      if (this.#status !== 200) this.#refused();
      this.stream.end();
    });
    this.stream.once("close", () => this.over({ type: "dropped" }));
  }

  #say(size: number): void {
    const all = Buffer.concat(this.#unsaid);
    this.#unsaid = [];
    for (let at = 0; at < all.length; at += size) this.#put(all.subarray(at, at + size));
  }

  #put(bytes: Uint8Array): void {
    if (!this.stream.writableEnded && !this.stream.destroyed) this.stream.write(bytes);
  }

  #take(chunk: Buffer): void {
    this.#parts.push(chunk);
    this.#size += chunk.length;
    if (this.#status !== 200 || this.#size < this.#wanted) return;
    let rest = Buffer.concat(this.#parts);
    for (let end = endOf(rest); end <= rest.length; end = endOf(rest)) {
      const body = rest.subarray(headerBytes, end);
      if (rest[0] === 2) this.over(readEnd(body));
      else this.#hear(fromBinary(AgentServerMessageSchema, body));
      rest = rest.subarray(end);
    }
    this.#parts = [rest];
    this.#size = rest.length;
    this.#wanted = endOf(rest);
    this.changed();
  }

  #hear(message: AgentServerMessage): void {
    this.seen.push(message);
    if (message.message.case === "kvServerMessage") this.#keep(message.message.value);
    else if (message.message.case === "execServerMessage") {
      const exec = message.message.value;
      if (this.#options.hold?.(exec)) this.held.push(exec);
      else void this.answer(exec);
    }
  }

  #keep({ id, message }: KvServerMessage): void {
    if (message.case === "setBlobArgs") {
      this.#blobs.set(hex(message.value.blobId), message.value.blobData);
      this.send({ case: "kvClientMessage", value: { id, message: { case: "setBlobResult", value: {} } } });
    }
    if (message.case !== "getBlobArgs") return;
    const blobData = this.#blobs.get(hex(message.value.blobId));
    const value = blobData ? { blobData } : {};
    this.send({ case: "kvClientMessage", value: { id, message: { case: "getBlobResult", value } } });
  }

  #refused(): void {
    const body = Buffer.concat(this.#parts).toString();
    const { code, message } = JSON.parse(body || "{}") as { code: string; message: string };
    this.over({ type: "refused", status: this.#status, code, message });
  }
}

const headerBytes = 5;

/** Where the first envelope ends. */
const endOf = (bytes: Buffer): number =>
  headerBytes + (bytes.length < headerBytes ? 0 : bytes.readUInt32BE(1));

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
