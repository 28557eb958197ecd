import assert from "node:assert/strict";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { type TestContext, test } from "node:test";
import { gzipSync } from "node:zlib";
import fc from "fast-check";
import { type Body, readBody } from "../../../src-main/transport/wire/body.ts";

const limit = 10_000;
const endBytes = 4_096;

/** Sends a request piece by piece over a bare socket and reads it with the lowered bound. */
async function reader(t: TestContext) {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const open = async (headers: string): Promise<{ socket: Socket; body: Promise<Body> }> => {
    const request = new Promise<IncomingMessage>((resolve) => server.once("request", resolve));
    const socket = connect(port, "127.0.0.1").on("error", () => {});
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\n${headers}\r\n\r\n`);
    const body = request.then((it) => readBody(it, limit));
    body.catch(() => {}); // who awaits it sees it
    await request;
    return { socket, body };
  };
  const send = async (pieces: readonly Uint8Array[], encoding = ""): Promise<Body> => {
    const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
    const extra = encoding ? `\r\nContent-Encoding: ${encoding}` : "";
    const { socket, body } = await open(`Content-Length: ${length}${extra}`);
    for (const piece of pieces) {
      socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const read = await body;
    socket.destroy();
    return read;
  };
  return { open, send };
}

const numbers = (length: number): Buffer => Buffer.from(Array.from({ length }, (_, at) => (at * 7) % 251));

test("a body within the bound is taken whole", async (t) => {
  const { send } = await reader(t);
  for (const length of [0, 1, limit]) {
    const bytes = numbers(length);
    assert.deepEqual(await send([bytes]), { type: "whole", bytes });
  }
});

test("property: of a larger body the two ends are kept, however it is cut", async (t) => {
  const { send } = await reader(t);
  const cuts = fc.tuple(
    fc.integer({ min: limit + 1, max: 3 * limit }),
    fc.array(fc.nat({ max: 3 * limit }), { maxLength: 6 }),
  );
  await fc.assert(
    fc.asyncProperty(cuts, async ([length, at]) => {
      const bytes = numbers(length);
      const places = [0, ...at.filter((place) => place < length).sort((a, b) => a - b), length];
      const pieces = places.slice(1).map((end, nth) => bytes.subarray(places[nth], end));
      const body = await send(pieces.filter((piece) => piece.length > 0));
      assert.ok(body.type === "oversized");
      assert.equal(body.length, length);
      assert.deepEqual(body.head, bytes.subarray(0, endBytes));
      assert.deepEqual(body.tail.subarray(-endBytes), bytes.subarray(-endBytes));
      assert.ok(body.tail.length <= 2 * endBytes);
    }),
    { numRuns: 20 },
  );
});

test("one layer of compression is taken off", async (t) => {
  const { send } = await reader(t);
  const bytes = numbers(20_000);
  assert.deepEqual(await send([gzipSync(bytes)], "gzip"), { type: "whole", bytes });
  assert.deepEqual(await send([bytes.subarray(0, 9)], "identity"), {
    type: "whole",
    bytes: bytes.subarray(0, 9),
  });
});

test("a compressed body beyond the bound is refused", async (t) => {
  const { send } = await reader(t);
  await assert.rejects(send([Buffer.alloc(limit + 1)], "gzip"), /at most 10000 bytes/);
});

test("a request that breaks off is no body", async (t) => {
  const { open } = await reader(t);
  const { socket, body } = await open("Content-Length: 100");
  socket.write("half");
  await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  await assert.rejects(body, /broke off/);
});
