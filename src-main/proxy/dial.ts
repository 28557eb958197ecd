/** How the proxy reaches the world. Which way that is, and who may vouch for a server, the program decides. */
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";

export interface Dial {
  /** Throws `network` when nobody answers, `config` (403 to who asked) when this may not be reached. */
  plain(host: string, port: number): Promise<Duplex>;
  /** With the handshake done; the server has proven to be `host`. */
  encrypted(host: string, port: number, protocols: readonly string[]): Promise<TLSSocket>;
}
