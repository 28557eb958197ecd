/** Loaded before a program (node --import): writes down where each of its connections leads, a line each. */
import { subscribe } from "node:diagnostics_channel";
import { appendFileSync } from "node:fs";
import type { Socket } from "node:net";

const file = process.env.OWNKEY_TEST_SOCKETS ?? "";

subscribe("net.client.socket", (message) => {
  const { socket } = message as { readonly socket: Socket };
  const failed = () => appendFileSync(file, "failed\n");
  socket.once("error", failed);
  socket.once("connect", () => {
    socket.off("error", failed);
    appendFileSync(file, `${socket.remoteAddress}:${socket.remotePort}\n`);
  });
});
