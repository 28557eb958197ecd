/** Reported faults of streams, through real sockets: what was sent then, and what has to come of it. */
import assert from "node:assert/strict";
import type { ServerResponse } from "node:http";
import { type TestContext, test } from "node:test";
import { createLlm } from "../../src-main/llm/create.ts";
import type { ChannelFormat, ResponseEvent } from "../../src-main/llm/types.ts";
import { caseOf } from "../support/cases.ts";
import { channelOf, collect, errorOf, serve, textOf, thinkingOf } from "./support.ts";

type Chunk = { readonly text?: string; readonly b64?: string };

interface Answer {
  readonly http: { readonly status: number; readonly headers: Readonly<Record<string, string>> };
  readonly chunks: readonly Chunk[];
  readonly end: "close" | "hold_open_60s";
}

interface Wanted {
  readonly final?: "done" | "error";
  readonly stopReason?: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly toolCalls?: readonly {
    readonly id?: string;
    readonly name: string;
    readonly arguments: unknown;
  }[];
  readonly usage?: { readonly input: number; readonly output: number; readonly cacheRead?: number };
  readonly errorKind?: string;
  readonly retryable?: boolean;
  readonly retryAfterMsAtLeast?: number;
  readonly messageIncludes?: string;
}

interface Case extends Answer {
  readonly provider: string;
  readonly attempts?: readonly Answer[];
  readonly expect: Wanted & {
    readonly variants?: Readonly<Record<string, Wanted>>;
    readonly variant_failed?: Wanted;
  };
  readonly variants?: Readonly<Record<string, readonly Chunk[]>>;
  readonly variant_failed?: readonly Chunk[];
  readonly variant_pieces?: { readonly deltas: readonly string[]; readonly expectSignature: string };
}

async function ask(t: TestContext, provider: string, answer: Answer): Promise<readonly ResponseEvent[]> {
  const write = async (response: ServerResponse) => {
    response.writeHead(answer.http.status, answer.http.headers);
    for (const { text, b64 } of answer.chunks) {
      response.write(text ?? Buffer.from(b64 ?? "", "base64"));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (answer.end === "close") response.end();
  };
  const server = await serve(t, (response) => void write(response));
  const channel = channelOf(server.url, { format: provider as ChannelFormat });
  return (await collect(createLlm(channel, "sk-test"))).events;
}

/** The reports' words for what our codes say. */
const codes: Readonly<Record<string, string>> = { bad_content_type: "not_a_stream" };
const stops: Readonly<Record<string, string>> = { toolUse: "tool_use", stop: "stop", length: "length" };

function check(events: readonly ResponseEvent[], wanted: Wanted): void {
  const last = events.at(-1);
  if (wanted.final) assert.equal(last?.type, wanted.final);
  if (wanted.text !== undefined) assert.equal(textOf(events), wanted.text);
  if (wanted.thinking !== undefined) assert.equal(thinkingOf(events), wanted.thinking);
  if (last?.type === "done") return checkAnswer(last, wanted);
  const error = errorOf(events);
  if (wanted.errorKind) assert.equal(error.code, codes[wanted.errorKind] ?? wanted.errorKind);
  if (wanted.retryable !== undefined) assert.equal(error.retryable, wanted.retryable);
  if (wanted.messageIncludes) assert.ok(error.message.includes(wanted.messageIncludes), error.message);
  assert.ok((error.retryAfterMs ?? 0) >= (wanted.retryAfterMsAtLeast ?? 0));
}

function checkAnswer(
  { message, usage }: Extract<ResponseEvent, { readonly type: "done" }>,
  wanted: Wanted,
): void {
  if (wanted.stopReason) assert.equal(message.stopReason, stops[wanted.stopReason]);
  const calls = message.blocks.filter((block) => block.type === "tool_call");
  if (wanted.toolCalls) {
    const told = calls.map((call, at) => ({
      ...(wanted.toolCalls?.[at]?.id === undefined ? {} : { id: call.id }),
      name: call.name,
      arguments: JSON.parse(call.arguments || "{}") as unknown,
    }));
    assert.deepEqual(told, wanted.toolCalls);
  }
  if (!wanted.usage) return;
  const { input, output, cacheRead = 0 } = wanted.usage;
  assert.ok(usage);
  assert.deepEqual([usage.output, usage.cached], [output, cacheRead]);
  assert.ok([usage.fresh, usage.fresh + usage.cached].includes(input));
}

const streams =
  "C02 C04 C05 C06 C07 C08 C09 C10 C11 C12 C14 C15 C16 C17 C20 C21 C22 C23 C26 C33 C34 C35 C36 C38".split(
    " ",
  );

for (const id of streams) {
  const given = caseOf<Case>(id);
  test(`${id} comes out as its reporters wanted it`, {
    skip: given === null && "the cases are missing",
  }, async (t) => {
    if (!given) return;
    check(await ask(t, given.provider, given), given.expect);
    const variants = { ...given.variants, ...(given.variant_failed ? { failed: given.variant_failed } : {}) };
    for (const [name, chunks] of Object.entries(variants)) {
      const wanted = name === "failed" ? given.expect.variant_failed : given.expect.variants?.[name];
      assert.ok(wanted, name);
      check(await ask(t, given.provider, { ...given, chunks }), wanted);
    }
  });
}

test("C12: arguments that were cut stay what they are: no JSON, which never runs", async (t) => {
  const given = caseOf<Case>("C12");
  if (!given) return t.skip("the cases are missing");
  const last = (await ask(t, given.provider, given)).at(-1);
  assert.ok(last?.type === "done");
  const [call] = last.message.blocks;
  assert.ok(call?.type === "tool_call");
  assert.throws(() => JSON.parse(call.arguments));
});

test("C22: a signature in pieces is one signature", async (t) => {
  const given = caseOf<Case>("C22");
  if (!given?.variant_pieces) return t.skip("the cases are missing");
  const { deltas, expectSignature } = given.variant_pieces;
  const whole =
    'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"EqQBCgIYAhIQ=="}}\n\n';
  const pieces = deltas.map((piece) => whole.replace("EqQBCgIYAhIQ==", piece)).join("");
  const chunks = given.chunks.map(({ text = "" }) => ({ text: text.replace(whole, pieces) }));
  const last = (await ask(t, given.provider, { ...given, chunks })).at(-1);
  assert.ok(last?.type === "done");
  assert.deepEqual(last.message.blocks[0]?.opaque, { signature: expectSignature });
});

test("C24: overloaded and throttled inside a 200 may be asked again, and the third answer is good", async (t) => {
  const given = caseOf<Case>("C24");
  if (!given?.attempts) return t.skip("the cases are missing");
  const ends = [];
  for (const attempt of given.attempts)
    ends.push((await ask(t, given.provider, { ...given, ...attempt })).at(-1));
  assert.deepEqual(
    ends.map((end) => (end?.type === "error" ? [end.error.kind, end.error.retryable] : end?.type)),
    [["upstream", true], ["limit", true], "done"],
  );
});
