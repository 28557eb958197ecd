/** Loaded before a program (node --import): writes down where each of its connections leads, a line each. */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import type { Socket } from "node:net";

const file = process.env.OWNKEY_TEST_SOCKETS ?? "";

subscribe("net.client.socket", (message) => {
  const { socket } = message as { readonly socket: Socket };
  socket.once("connect", () => appendFileSync(file, `${socket.remoteAddress}:${socket.remotePort}\n`));
  socket.once("error", () => appendFileSync(file, "failed\n"));
});
