/** The encrypted port, with a certificate of the user's. The MITM authority is not for it: it must not name an IP. */
import { readFileSync } from "node:fs";
import { createServer, type Server, type TLSSocket } from "node:tls";
import { OwnkeyError } from "../base/errors.ts";

/** PEM files. The certificate must name 127.0.0.1 as an IP address; a chain follows in the same file. */
export interface TlsFiles {
  readonly cert: string;
  readonly key: string;
}

/** Not listening yet. Throws `config` with a sentence when the files cannot be used. */
export function createTlsServer(files: TlsFiles, take: (socket: TLSSocket) => void): Server {
  const cert = read(files.cert);
  const key = read(files.key);
  try {
    return createServer(
      {
        cert,
        key,
        minVersion: "TLSv1.2",
        ALPNProtocols: ["h2", "http/1.1"],
        handshakeTimeout: 10_000,
        noDelay: true,
      },
      take,
    ).on("tlsClientError", (_failure, socket) => socket.destroy());
  } catch (cause) {
    throw new OwnkeyError("config", `${files.cert} and ${files.key} are no certificate with its key (PEM).`, {
      cause,
    });
  }
}

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new OwnkeyError(
      "config",
      `${file} cannot be read (${String((cause as NodeJS.ErrnoException).code)}).`,
      {
        cause,
      },
    );
  }
}
