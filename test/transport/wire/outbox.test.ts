import assert from "node:assert/strict";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import {
  type AgentServerMessage,
  AgentServerMessageSchema,
} from "../../../src-main/gen/agent/v1/agent_pb.ts";
import { heartbeat } from "../../../src-main/transport/dialect/encode.ts";
import { encodeMessage, Outbox } from "../../../src-main/transport/wire/outbox.ts";
import { createFakeClock } from "../../support/fake-clock.ts";
import { until } from "../../support/until.ts";

const text = (value: string): AgentServerMessage =>
  create(AgentServerMessageSchema, {
    message: {
      case: "interactionUpdate",
      value: { message: { case: "textDelta", value: { text: value } } },
    },
  });

/** An outbox on a real response, and what arrives at the other end. */
async function connected(t: TestContext) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const asked = new Promise<ServerResponse>((resolve) => server.once("request", (_, it) => resolve(it)));
  const answered = new Promise<IncomingMessage>((resolve) => get({ port, host: "127.0.0.1" }, resolve));
  const response = await asked;
  const writes: number[] = [];
  const write = response.write.bind(response);
  response.write = ((bytes: Buffer) => {
    writes.push(bytes.length);
    return write(bytes);
  }) as typeof response.write;
  const clock = createFakeClock();
  const outbox = new Outbox(response, clock);
  const reader = await answered;
  const parts: Buffer[] = [];
  const pause = () => reader.pause();
  reader.on("data", (part: Buffer) => parts.push(part));
  return { outbox, clock, response, reader, pause, writes, received: () => Buffer.concat(parts) };
}

test("the headers go out at once, the messages with the flush: all of them in one write", async (t) => {
  const { outbox, reader, writes, received } = await connected(t);
  assert.equal(reader.statusCode, 200);
  assert.equal(reader.headers["content-type"], "application/connect+proto");
  assert.equal(reader.headers["x-accel-buffering"], "no", "C53: whoever stands between holds nothing back");
  const messages = ["a", "b", "c"].map(text);
  for (const message of messages) outbox.send(message);
  outbox.sendEncoded(encodeMessage(text("d")));
  assert.deepEqual(writes, []);
  outbox.flush();
  outbox.flush();
  assert.equal(writes.length, 1);
  const expected = Buffer.concat([...messages, text("d")].map(encodeMessage));
  await until(() => received().length >= expected.length);
  assert.deepEqual(received(), expected);
});

test("after 5 s without a write a heartbeat goes out, and every 5 s again", async (t) => {
  const { outbox, clock, writes } = await connected(t);
  const beat = encodeMessage(heartbeat()).length;
  clock.turn(4_999);
  assert.deepEqual(writes, []);
  clock.turn(1);
  assert.deepEqual(writes, [beat]);
  clock.turn(4_000);
  outbox.send(text("a"));
  outbox.flush();
  clock.turn(4_999);
  assert.equal(writes.length, 2);
  clock.turn(1);
  assert.deepEqual(writes.slice(2), [beat]);
  clock.turn(10_000);
  assert.equal(writes.length, 5);
});

test("what waits goes out before the end, and nothing after it", async (t) => {
  const { outbox, clock, writes, reader, received } = await connected(t);
  outbox.send(text("a"));
  outbox.end(null);
  outbox.send(text("b"));
  outbox.flush();
  outbox.end({ kind: "bug", message: "Twice." });
  clock.turn(60_000);
  assert.equal(clock.waiting(), 0);
  await until(() => reader.complete);
  assert.equal(writes.length, 1);
  assert.deepEqual(
    received(),
    Buffer.concat([encodeMessage(text("a")), Buffer.from([2, 0, 0, 0, 2]), Buffer.from("{}")]),
  );
});

test("a closed outbox writes nothing more, not even a heartbeat", async (t) => {
  const { outbox, clock, writes } = await connected(t);
  outbox.send(text("a"));
  outbox.close();
  outbox.flush();
  clock.turn(60_000);
  assert.deepEqual(writes, []);
  assert.equal(clock.waiting(), 0);
});

test("whoever writes faster than the client reads is told to wait until it has caught up, or is gone", async (t) => {
  const { outbox, reader, pause } = await connected(t);
  await outbox.drained();
  pause();
  await fill(outbox);
  let drained = false;
  const waiting = outbox.drained().then(() => {
    drained = true;
  });
  await settled();
  assert.equal(drained, false);
  reader.resume();
  await waiting;
  pause();
  await fill(outbox);
  const gone = outbox.drained();
  reader.destroy();
  await gone;
});

/** Writes until the system's own buffers take nothing more. */
async function fill(outbox: Outbox): Promise<void> {
  const large = encodeMessage(text("x".repeat(1024 * 1024)));
  for (let nth = 0; nth < 64 && !outbox.isFull; nth++) {
    outbox.sendEncoded(large);
    outbox.flush();
    await settled();
  }
  assert.equal(outbox.isFull, true);
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await setImmediate();
}
