/** Channels over a store in memory, a way out without a system that names a proxy, and a server to ask. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { createChannels } from "../../../src-main/app/channels/channels.ts";
import { openFolder } from "../../../src-main/app/folder.ts";
import { createOutbound, type OutboundParts } from "../../../src-main/app/outbound/outbound.ts";
import { createProviderKeys } from "../../../src-main/app/provider-keys.ts";
import type { AddChannel } from "../../../src-main/contract/channels.ts";
import { createKeyFileSealer } from "../../../src-main/host/key-file-sealer.ts";
import { openStore } from "../../../src-main/store/store.ts";
import { createHandClock } from "../hand-clock.ts";

export function setUpChannels(scratch: string, changes: Partial<OutboundParts> = {}) {
  const store = openStore(":memory:");
  const sealer = createKeyFileSealer(openFolder(join(scratch, randomBytes(4).toString("hex"))));
  const opened: string[] = [];
  const keys = createProviderKeys(store.secrets, sealer, (key) => opened.push(key));
  const ownPorts = () => [7788];
  const outbound = createOutbound({
    settings: store.settings,
    keys,
    hop: "hop-1",
    ownPorts,
    standIns: { places: new Map(), authorities: [] },
    ownAuthority: () => null,
    proxyBefore: () => null,
    systemProxy: async () => ({ url: null, bypass: [] }),
    ...changes,
  });
  const channels = createChannels(store, keys, createHandClock(), ownPorts, outbound);
  return { store, sealer, keys, channels, opened, outbound, ownPorts };
}

/** The same for one test, which takes its folder away. */
export function setUpFor(t: TestContext, changes: Partial<OutboundParts> = {}) {
  const scratch = mkdtempSync(join(tmpdir(), "ownkey-channels-"));
  t.after(() => rmSync(scratch, { recursive: true, force: true }));
  return setUpChannels(scratch, changes);
}

export const draft = (
  own: Partial<AddChannel["fields"]> = {},
  key: string | null = "sk-sentinel",
): AddChannel => ({
  fields: { name: "Mine", format: "openai-chat", baseUrl: "https://a.example/v1", model: "m", ...own },
  key,
});

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

/** A server of the user's; closed with its connections when the test ends. */
export async function serveProvider(
  t: TestContext,
  answer: (asked: Asked, response: ServerResponse) => void,
): Promise<{ readonly url: string; readonly port: number; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { method = "", url = "", headers } = request;
      const one = { method, path: url, headers, body: Buffer.concat(parts).toString() };
      asked.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, asked };
}

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;

/** A chat-completions server that answers OK, calls a tool it is offered, and refuses an empty request. */
export function answerWell({ body }: Asked, response: ServerResponse): void {
  const request = JSON.parse(body || "{}") as {
    readonly messages?: unknown;
    readonly tools?: readonly { readonly function: { readonly name: string } }[];
  };
  if (!request.messages) {
    response
      .writeHead(400, { "content-type": "application/json" })
      .end('{"error":{"message":"no messages"}}');
    return;
  }
  const name = request.tools?.[0]?.function.name;
  const call = { index: 0, id: "call_1", function: { name, arguments: '{"word":"ok"}' } };
  const delta = name ? { tool_calls: [call] } : { content: "OK" };
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.end(`${chunk(delta)}${chunk({}, "stop")}data: [DONE]\n\n`);
}
