/** Back-pressure on both wires: the outbox knows HTTP/1.1 and HTTP/2 only by what they have in common. */
import assert from "node:assert/strict";
import { createServer, get } from "node:http";
import { connect, constants, createServer as createHttp2Server } from "node:http2";
import type { AddressInfo, Server } from "node:net";
import { type TestContext, test } from "node:test";
import { shellDelta } from "../../../src-main/transport/dialect/encode.ts";
import type { HttpResponse } from "../../../src-main/transport/wire/http.ts";
import { Outbox } from "../../../src-main/transport/wire/outbox.ts";
import { createFakeClock } from "../../support/fake-clock.ts";

/** A client that has its answer's headers and does not read on until it is told to. */
interface Reader {
  /** Reads to the end and returns how much came. */
  read(): Promise<number>;
  leave(): void;
}

type Wire = (t: TestContext, answered: (response: HttpResponse) => void) => Promise<Reader>;

async function count(stream: AsyncIterable<Buffer>): Promise<number> {
  let bytes = 0;
  for await (const chunk of stream) bytes += chunk.length;
  return bytes;
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return (server.address() as AddressInfo).port;
}

const http1: Wire = async (t, answered) => {
  const server = createServer((_, response) => answered(response));
  const port = await portOf(server);
  t.after(() => server.close());
  return new Promise((resolve) => {
    get({ host: "127.0.0.1", port, agent: false }, (response) =>
      resolve({ read: () => count(response), leave: () => response.destroy() }),
    );
  });
};

const http2: Wire = async (t, answered) => {
  const server = createHttp2Server((_, response) => answered(response));
  const session = connect(`http://127.0.0.1:${await portOf(server)}`);
  t.after(() => {
    session.destroy();
    server.close();
  });
  const stream = session.request({ ":path": "/" });
  stream.on("error", () => {});
  await new Promise((resolve) => stream.once("response", resolve));
  return { read: () => count(stream), leave: () => stream.close(constants.NGHTTP2_CANCEL) };
};

const message = shellDelta("operation", "stdout", "x".repeat(64 * 1024));

for (const [name, wire] of Object.entries({ "HTTP/1.1": http1, "HTTP/2": http2 })) {
  async function filled(t: TestContext) {
    const { promise, resolve } = Promise.withResolvers<Outbox>();
    const reader = await wire(t, (response) => resolve(new Outbox(response, createFakeClock())));
    const outbox = await promise;
    let sent = 0;
    while (sent < 4096 && !outbox.isFull) {
      outbox.send(message);
      outbox.flush();
      sent++;
    }
    assert.equal(outbox.isFull, true);
    let isDrained = false;
    const drained = outbox.drained().then(() => {
      isDrained = true;
    });
    await new Promise(setImmediate);
    return { outbox, reader, sent, drained, isDrained: () => isDrained };
  }

  test(`${name}: an outbox is full until the client has caught up`, async (t) => {
    const { outbox, reader, sent, drained } = await filled(t);
    const read = reader.read();
    await drained;
    assert.equal(outbox.isFull, false);
    outbox.end(null);
    assert.ok((await read) > sent * 64 * 1024);
  });

  test(`${name}: nobody waits for a client that is gone`, async (t) => {
    const { outbox, reader, drained } = await filled(t);
    reader.leave();
    await drained;
    assert.equal(outbox.isFull, false);
    outbox.end(null);
  });
}
