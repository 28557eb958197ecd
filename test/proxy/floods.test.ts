/** HTTP/2 used as a weapon, against the port that Cursor talks to: whoever does it is stopped, and others go on. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { test } from "node:test";
import type { TLSSocket } from "node:tls";
import { type Call, createClient } from "./exchange.ts";
import { startStand } from "./stand.ts";

const api2 = "api2.cursor.sh";
const types = { headers: 1, reset: 3, settings: 4, ping: 6, continuation: 9 } as const;

function frame(type: number, flag: number, stream: number, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flag;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

/** GET https://api2.cursor.sh/, of HPACK's fixed table and one literal. */
const getRoot = Buffer.concat([Buffer.of(0x82, 0x87, 0x84, 0x01, api2.length), Buffer.from(api2)]);
const opening = Buffer.concat([Buffer.from("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(types.settings, 0, 0)]);
const whole = 0x01 | 0x04; // the stream and its headers end here
const get = (nth: number) => frame(types.headers, whole, nth * 2 + 1, getRoot);
const repeat = (count: number, make: (nth: number) => Buffer) =>
  Buffer.concat(Array.from({ length: count }, (_, nth) => make(nth)));

interface Flood {
  make(): Buffer;
  /** What becomes of the session; `bounded`: it takes no memory, whether or not it lives. */
  readonly outcome: "ended" | "bounded";
}

const floods: Readonly<Record<string, Flood>> = {
  "requests that are reset at once": {
    make: () =>
      repeat(10_000, (nth) => {
        const canceled = frame(types.reset, 0, nth * 2 + 1, Buffer.of(0, 0, 0, 8));
        return Buffer.concat([get(nth), canceled]);
      }),
    outcome: "ended",
  },
  "headers that never end": {
    make() {
      const more = Buffer.from("\0\x01x\x7f\x81\x01".padEnd(260, "x"));
      return Buffer.concat([
        frame(types.headers, 0, 1, getRoot),
        repeat(10_000, () => frame(types.continuation, 0, 1, more)),
      ]);
    },
    outcome: "ended",
  },
  "pings whose answers nobody reads": {
    make: () => repeat(200_000, () => frame(types.ping, 0, 0, Buffer.alloc(8))),
    outcome: "bounded",
  },
  "settings whose answers nobody reads": {
    make: () => repeat(200_000, () => frame(types.settings, 0, 0)),
    outcome: "bounded",
  },
  "10,000 requests at a time": { make: () => repeat(10_000, get), outcome: "ended" },
};

const call: Call = { method: "GET", path: "/whole", headers: [], body: null, isChunked: false, trailers: {} };

test("floods of HTTP/2 end the session that sends them, or cost nothing; another client goes on", async (t) => {
  let most = 0;
  let open = 0;
  const stand = await startStand(t, (request, response) => {
    if (request.url === "/whole") return void response.end("whole");
    most = Math.max(most, ++open);
    response.once("close", () => open--);
  });
  const other = createClient(await stand.through(api2, "h2"), api2);
  t.after(other.close);
  for (const [title, { make, outcome }] of Object.entries(floods))
    await t.test(title, async () => {
      most = 0;
      const before = process.memoryUsage().rss;
      const wire = (await stand.through(api2, "h2")).on("error", () => {});
      const ended = once(wire, "close").then(() => "ended");
      wire.write(Buffer.concat([opening, make()]));
      if (outcome === "ended") assert.equal(await Promise.race([ended, drained(wire)]), "ended");
      for (let times = 0; times < 3; times++) assert.equal((await other.ask(call)).body.toString(), "whole");
      assert.ok(most <= 128, `${most} reached Cursor's server at a time`);
      const grown = (process.memoryUsage().rss - before) / 1024 / 1024;
      assert.ok(grown < 100, `${grown} MiB more`);
      wire.destroy();
    });
});

/** Never before the end: what comes is read and dropped. */
const drained = (wire: TLSSocket) => new Promise<never>(() => wire.resume());
