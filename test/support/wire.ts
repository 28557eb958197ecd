/**
 * A client of the direct endpoint, made by hand: speaks the wire as Cursor's does, and shows all of it.
 *
 *   RunSSE (one envelope out, many in)      BidiAppend (one message each, up to 16 on their way)
 *
 * It answers kv questions and execs at once, unless a test holds them back.
 */
import { once } from "node:events";
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from "node:http";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type AgentClientMessage,
  AgentClientMessageSchema,
  type AgentRunRequest,
  AgentRunRequestSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
} from "../../src-main/gen/agent/v1/agent_pb.ts";
import type { ConversationStateStructure } from "../../src-main/gen/agent/v1/conversation_pb.ts";
import type { ExecServerMessage } from "../../src-main/gen/agent/v1/exec_pb.ts";
import { BidiAppendRequestSchema, BidiRequestIdSchema } from "../../src-main/gen/aiserver/v1/bidi_pb.ts";
import { assertHonestExec } from "./honest.ts";
import { Machine } from "./machine.ts";
import type { Scope } from "./scope.ts";
import { type End, readEnd, Sight } from "./sight.ts";

export type ClientMessage = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>["message"]>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: Buffer;
}

export interface RunOptions {
  readonly text?: string;
  readonly runId?: string;
  readonly requestId?: string;
  readonly model?: string;
  /** The first message; else a run request with `text`, or a resume when there is none. */
  readonly first?: ClientMessage;
  /** Changes the run request before it is sent. */
  readonly amend?: (request: AgentRunRequest) => void;
  readonly conversationId?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** `append` sends message 0 and waits for its answer before RunSSE is opened; `stream` opens RunSSE alone. */
  readonly begin?: "both" | "append" | "stream";
  readonly envelope?: "plain" | "gzip" | "br";
  readonly append?: "hex" | "binary" | "gzip";
  /** The questions that are left unanswered for now. */
  readonly hold?: (exec: ExecServerMessage) => boolean;
  readonly holdMarks?: boolean;
  /** The client is stopped before the first message it does not take. */
  readonly takes?: (message: AgentServerMessage) => boolean;
}

let ids = 0;
export const newId = (what: string): string => `${what}-${process.pid}-${++ids}`;

export class Client {
  readonly url: string;
  readonly token: string;
  readonly machine: Machine;
  conversationId: string = newId("conversation");
  /** The last checkpoint that was taken. */
  checkpoint: ConversationStateStructure | null = null;
  readonly blobs = new Map<string, Uint8Array>();
  readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(t: Scope, url: string, token: string, machine = new Machine()) {
    this.url = url;
    this.token = token;
    this.machine = machine;
    t.after(() => this.agent.destroy());
  }

  run(options: RunOptions): Attempt {
    return new Attempt(this, options);
  }

  /** The same run on a new connection, as after a drop: with the last checkpoint, or with the message again. */
  retry(before: Attempt, options: RunOptions = {}): Attempt {
    const again = this.checkpoint ? {} : { text: before.options.text ?? "" };
    return this.run({ ...again, runId: before.runId, ...options });
  }

  /** One request as it is; refused ones included. */
  send(
    path: string,
    body: Uint8Array | string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const request = httpRequest(`${this.url}${path}`, {
        method: "POST",
        agent: this.agent,
        headers: { authorization: `Bearer ${this.token}`, "connect-protocol-version": "1", ...headers },
      });
      request.once("error", reject);
      request.once("response", (response) => readAll(response).then(resolve, reject));
      request.end(body);
    });
  }

  append(requestId: string, seqno: number | bigint, message: ClientMessage): Promise<Answer> {
    return this.appendBytes(requestId, seqno, encodeClient(message));
  }

  appendBytes(
    requestId: string,
    seqno: number | bigint,
    bytes: Uint8Array,
    as: RunOptions["append"] = "hex",
  ): Promise<Answer> {
    const payload = as === "binary" ? { dataBinary: bytes } : { data: Buffer.from(bytes).toString("hex") };
    const body = toBinary(
      BidiAppendRequestSchema,
      create(BidiAppendRequestSchema, {
        requestId: { requestId },
        appendSeqno: BigInt(seqno),
        ...payload,
      }),
    );
    return this.post(
      as === "gzip" ? gzipSync(body) : body,
      as === "gzip" ? { "content-encoding": "gzip" } : {},
    );
  }

  /** The body of a BidiAppend as it is. */
  post(body: Uint8Array, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.send(appendPath, body, { "content-type": "application/proto", ...headers });
  }
}

export const appendPath = "/aiserver.v1.BidiService/BidiAppend";
export const runPath = "/agent.v1.AgentService/RunSSE";

export class Attempt extends Sight {
  readonly client: Client;
  readonly options: RunOptions;
  readonly requestId: string;
  readonly runId: string;
  readonly appends: Promise<Answer>[] = [];
  #seqno = 0;
  #waiting: { readonly seqno: number; readonly message: ClientMessage }[] | null = null;
  #held: ExecServerMessage[] = [];
  #isStopped = false;
  #isHeldBack = false;
  #response: IncomingMessage | null = null;
  #stream: ClientRequest | null = null;

  constructor(client: Client, options: RunOptions) {
    super();
    this.client = client;
    this.options = options;
    this.requestId = options.requestId ?? newId("request");
    this.runId = options.runId ?? this.requestId;
    const { begin = "both" } = options;
    if (begin === "append") void this.begin().then(() => this.#isHeldBack || this.openStream());
    else {
      this.openStream();
      if (begin === "both") void this.begin();
    }
  }

  /** Sends the first message. */
  begin(): Promise<unknown> {
    return this.send(this.#first());
  }

  // ---- doing -------------------------------------------------------------------------------------------

  /** The stream's end; every append was answered. */
  async ended(): Promise<End> {
    await this.until(() => this.end !== null, "the stream ends");
    await Promise.allSettled(this.appends);
    return this.end ?? { type: "dropped" };
  }

  /** The socket is closed, too. */
  async closed(): Promise<void> {
    if (this.#response && !this.#response.closed) await once(this.#response, "close");
  }

  /** The next message in order; waits its turn while appends are held back. */
  send(message: ClientMessage): Promise<unknown> {
    const seqno = this.#seqno++;
    if (!this.#waiting) return this.#post(seqno, message);
    this.#waiting.push({ seqno, message });
    return Promise.resolve();
  }

  /** Appends wait until they are released, all at once, in the order that `shuffle` makes of them. */
  holdAppends(): void {
    this.#waiting = [];
  }

  heldAppends(): number {
    return this.#waiting?.length ?? 0;
  }

  releaseAppends<T>(shuffle: (items: T[]) => T[] = (items) => items): void {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const { seqno, message } of shuffle(waiting as T[]) as typeof waiting)
      void this.#post(seqno, message);
  }

  /** Answers the questions that were held, in the order that `order` makes of them. */
  async release(order: (held: ExecServerMessage[]) => ExecServerMessage[] = (held) => held): Promise<void> {
    const held = order(this.#held);
    this.#held = [];
    for (const exec of held) await this.answer(exec);
  }

  async answer(exec: ExecServerMessage): Promise<void> {
    for await (const message of this.client.machine.carryOut(exec)) {
      if (this.end) return;
      void this.send({ case: "execClientMessage", value: { id: exec.id, message } });
    }
    this.close(exec);
  }

  close({ id }: ExecServerMessage): void {
    void this.send({
      case: "execClientControlMessage",
      value: { message: { case: "streamClose", value: { id } } },
    });
  }

  act(action: Extract<ClientMessage, { readonly case: "conversationAction" }>["value"]): Promise<unknown> {
    return this.send({ case: "conversationAction", value: action });
  }

  /** The user writes while the turn runs. */
  steer(injectionId: string, text: string): Promise<unknown> {
    const payload = { case: "userContext", value: { userMessage: { text } } } as const;
    return this.act({ action: { case: "injectContextAction", value: { injectionId, payload } } });
  }

  cancel(reason = "the user clicked stop"): Promise<unknown> {
    return this.act({ action: { case: "cancelAction", value: { reason } } });
  }

  /** The connection breaks, when all that was said has arrived: so both sides know the same. */
  async drop(): Promise<void> {
    for (let known = -1; known < this.appends.length; ) {
      known = this.appends.length;
      await Promise.allSettled(this.appends);
    }
    this.#abort();
  }

  // ---- inside ------------------------------------------------------------------------------------------

  #first(): ClientMessage {
    const { first, text, model = "ch_1", amend, conversationId } = this.options;
    if (first) return first;
    const { checkpoint } = this.client;
    const value = create(AgentRunRequestSchema, {
      action: {
        action:
          text === undefined
            ? { case: "resumeAction", value: {} }
            : { case: "userMessageAction", value: { userMessage: { text } } },
      },
      conversationId: conversationId ?? this.client.conversationId,
      requestedModel: { modelId: model },
      runId: this.runId,
      ...(checkpoint ? { conversationState: checkpoint } : {}),
    });
    amend?.(value);
    return { case: "runRequest", value };
  }

  #post(seqno: number, message: ClientMessage): Promise<Answer> {
    const { append = "hex" } = this.options;
    const answer = this.client.appendBytes(this.requestId, seqno, encodeClient(message), append);
    this.appends.push(answer);
    // Seen: a message that does not arrive ends the whole attempt, though its stream may have reached a newer program.
    answer.catch(() => this.#abort());
    return answer;
  }

  #abort(): void {
    this.#response?.destroy();
    this.#stream?.destroy();
    this.over({ type: "dropped" });
  }

  /** With `begin: "append"`: the stream is not opened by itself. */
  holdStream(): void {
    this.#isHeldBack = true;
  }

  /** A number was used by other means. */
  skip(): void {
    this.#seqno++;
  }

  openStream(): void {
    const { envelope = "plain", headers = {} } = this.options;
    const id = toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId: this.requestId }));
    const bytes = { plain: id, gzip: gzipSync(id), br: brotliCompressSync(id) }[envelope];
    const stream = httpRequest(`${this.client.url}${runPath}`, {
      method: "POST",
      agent: this.client.agent,
      headers: {
        authorization: `Bearer ${this.client.token}`,
        "content-type": "application/connect+proto",
        "connect-protocol-version": "1",
        ...(envelope === "plain" ? {} : { "connect-content-encoding": envelope }),
        ...headers,
      },
    });
    this.#stream = stream;
    stream.once("error", () => this.over({ type: "dropped" }));
    stream.once("response", (response) => this.#read(response));
    stream.end(envelopeOf(bytes, envelope === "plain" ? 0 : 1));
  }

  #read(response: IncomingMessage): void {
    this.#response = response;
    if (response.statusCode !== 200) {
      const status = response.statusCode ?? 0;
      void readAll(response).then(({ body }) => {
        const { code, message } = JSON.parse(body.toString()) as { code: string; message: string };
        this.over({ type: "refused", status, code, message });
      });
      return;
    }
    let rest: Buffer = Buffer.alloc(0);
    response.on("data", (chunk: Buffer) => {
      rest = this.#take(Buffer.concat([rest, chunk]));
      this.changed();
    });
    response.once("error", () => this.over({ type: "dropped" }));
    response.once("close", () => this.over({ type: "dropped" }));
    this.changed();
  }

  #take(bytes: Buffer): Buffer {
    let at = 0;
    while (bytes.length - at >= 5 && this.end === null) {
      const end = at + 5 + bytes.readUInt32BE(at + 1);
      if (bytes.length < end) break;
      const body = bytes.subarray(at + 5, end);
      if (bytes[at] === 2) this.over(readEnd(body));
      else this.#hear(fromBinary(AgentServerMessageSchema, body));
      at = end;
    }
    return bytes.subarray(at);
  }

  #hear(message: AgentServerMessage): void {
    this.#isStopped ||= this.options.takes?.(message) === false;
    if (this.#isStopped) return;
    this.seen.push(message);
    switch (message.message.case) {
      case "kvServerMessage":
        return this.#keep(message.message.value);
      case "conversationCheckpointUpdate":
        this.client.checkpoint = message.message.value;
        return;
      case "execServerMessage":
        assertHonestExec(message.message.value);
        if (this.options.hold?.(message.message.value)) this.#held.push(message.message.value);
        else void this.answer(message.message.value);
        return;
      default:
        return;
    }
  }

  #keep({
    id,
    message,
  }: Extract<AgentServerMessage["message"], { readonly case: "kvServerMessage" }>["value"]) {
    const { blobs } = this.client;
    if (message.case === "setBlobArgs") {
      blobs.set(Buffer.from(message.value.blobId).toString("hex"), message.value.blobData);
      void this.send({
        case: "kvClientMessage",
        value: { id, message: { case: "setBlobResult", value: {} } },
      });
      return;
    }
    if (message.case !== "getBlobArgs" || this.options.holdMarks) return;
    const blobData = blobs.get(Buffer.from(message.value.blobId).toString("hex"));
    const value = blobData ? { blobData } : {};
    this.proven = this.seen.length;
    void this.send({ case: "kvClientMessage", value: { id, message: { case: "getBlobResult", value } } });
  }
}

export const envelopeOf = (bytes: Uint8Array, flags = 0): Buffer => {
  const head = Buffer.alloc(5);
  head[0] = flags;
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};

export const encodeClient = (message: ClientMessage): Uint8Array =>
  toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message }) as AgentClientMessage);

async function readAll(response: IncomingMessage): Promise<Answer> {
  const parts: Buffer[] = [];
  for await (const part of response as AsyncIterable<Buffer>) parts.push(part);
  return { status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(parts) };
}
