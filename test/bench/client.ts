/**
 * Cursor's side of one turn, by hand and no more than it takes: RunSSE for what the program says, a BidiAppend for
 * each thing it asks. So the program under test does all of its work and no client of Cursor's does any.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { Agent, type IncomingMessage, request } from "node:http";
import { buffer } from "node:stream/consumers";
import { create, fromBinary, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  AgentClientMessageSchema,
  type AgentServerMessage,
  AgentServerMessageSchema,
} from "../../src-main/gen/agent/v1/agent_pb.ts";
import { BidiAppendRequestSchema, BidiRequestIdSchema } from "../../src-main/gen/aiserver/v1/bidi_pb.ts";
import { Check } from "./answer.ts";

type Said = NonNullable<MessageInitShape<typeof AgentClientMessageSchema>["message"]>;

const headerBytes = 5;
const endFlag = 2;

export class Client {
  readonly #direct: string;
  readonly #model: string;
  readonly #token: string;
  readonly #agent = new Agent({ keepAlive: true });

  /** `direct` and `key` as the program gave them, `model` the id of a channel. */
  static async connect(direct: string, key: string, model: string): Promise<Client> {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const answer = await fetch(`${direct}/auth/exchange_user_api_key`, {
      method: "POST",
      headers,
      body: "{}",
    });
    assert.equal(answer.status, 200, "the key was refused");
    const { accessToken } = (await answer.json()) as { readonly accessToken: string };
    return new Client(direct, model, accessToken);
  }

  private constructor(direct: string, model: string, token: string) {
    this.#direct = direct;
    this.#model = model;
    this.#token = token;
  }

  close(): void {
    this.#agent.destroy();
  }

  /** A whole turn in a new conversation. Throws when the answer is not exactly the one that was streamed. */
  async turn(): Promise<void> {
    const requestId = randomUUID();
    const appends: Promise<void>[] = [];
    const say = (message: Said) => appends.push(this.#append(requestId, appends.length, message));
    say(runRequest(requestId, this.#model));
    const check = new Check();
    let isWhole = false;
    for await (const message of this.#messages(requestId)) {
      switch (message.case) {
        case "interactionUpdate":
          if (message.value.message.case === "textDelta") check.take(message.value.message.value.text);
          if (message.value.message.case === "turnEnded") isWhole = true;
          break;
        case "execServerMessage":
          for (const answer of answersTo(message.value.id, message.value.message.case)) say(answer);
          break;
        case "kvServerMessage":
          say(kvAnswer(message.value.id, message.value.message.case));
          break;
      }
    }
    await Promise.all(appends);
    assert.ok(isWhole, "the turn did not end");
    check.end();
  }

  async *#messages(requestId: string): AsyncGenerator<AgentServerMessage["message"]> {
    const id = toBinary(BidiRequestIdSchema, create(BidiRequestIdSchema, { requestId }));
    const envelope = Buffer.concat([Buffer.alloc(headerBytes), id]);
    envelope.writeUInt32BE(id.length, 1);
    const response = await this.#post("/agent.v1.AgentService/RunSSE", "application/connect+proto", envelope);
    for await (const { flags, bytes } of envelopes(response)) {
      if (flags === endFlag) assert.equal(bytes.toString(), "{}", "the run ended with an error");
      else yield fromBinary(AgentServerMessageSchema, bytes).message;
    }
  }

  async #append(requestId: string, seqno: number, message: Said): Promise<void> {
    const data = toBinary(AgentClientMessageSchema, create(AgentClientMessageSchema, { message }));
    const append = create(BidiAppendRequestSchema, {
      data: Buffer.from(data).toString("hex"),
      requestId: { requestId },
      appendSeqno: BigInt(seqno),
    });
    const body = toBinary(BidiAppendRequestSchema, append);
    await buffer(await this.#post("/aiserver.v1.BidiService/BidiAppend", "application/proto", body));
  }

  async #post(path: string, contentType: string, body: Uint8Array): Promise<IncomingMessage> {
    const sent = request(`${this.#direct}${path}`, {
      method: "POST",
      agent: this.#agent,
      headers: {
        authorization: `Bearer ${this.#token}`,
        "connect-protocol-version": "1",
        "content-type": contentType,
      },
    }).end(body);
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    assert.equal(response.statusCode, 200, path);
    return response;
  }
}

async function* envelopes(source: AsyncIterable<Buffer>) {
  let rest = Buffer.alloc(0);
  for await (const chunk of source) {
    rest = Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= headerBytes) {
      const end = at + headerBytes + rest.readUInt32BE(at + 1);
      if (end > rest.length) break;
      yield { flags: rest[at] ?? 0, bytes: rest.subarray(at + headerBytes, end) };
      at = end;
    }
    rest = rest.subarray(at);
  }
  assert.equal(rest.length, 0, "the stream broke off inside an envelope");
}

const runRequest = (runId: string, modelId: string): Said => ({
  case: "runRequest",
  value: {
    conversationId: `agent-${runId}`,
    runId,
    requestedModel: { modelId },
    conversationState: {},
    action: {
      action: { case: "userMessageAction", value: { userMessage: { text: "Write a long answer." } } },
    },
  },
});

/** Of all tools only the first question is asked here: what the client's machine looks like. */
function answersTo(id: number, asked: string | undefined): readonly Said[] {
  assert.equal(asked, "requestContextArgs");
  const env = {
    osVersion: "linux",
    workspacePaths: ["/workspace"],
    shell: "bash",
    timeZone: "Europe/Berlin",
  };
  const result = { case: "success", value: { requestContext: { env } } } as const;
  return [
    {
      case: "execClientMessage",
      value: { id, message: { case: "requestContextResult", value: { result } } },
    },
    { case: "execClientControlMessage", value: { message: { case: "streamClose", value: { id } } } },
  ];
}

/** What is to be kept counts as kept; what is asked for is not there. */
const kvAnswer = (id: number, asked: string | undefined): Said => ({
  case: "kvClientMessage",
  value: {
    id,
    message:
      asked === "setBlobArgs" ? { case: "setBlobResult", value: {} } : { case: "getBlobResult", value: {} },
  },
});
