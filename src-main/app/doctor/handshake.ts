/** A handshake with our own proxy, as Cursor would make it. */
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { connect } from "node:tls";

const patienceMs = 5_000;

/** `ca`: PEM. `onPort` hears the port that it comes from. Resolves when a client that trusts it is served; rejects with the reason. */
export async function tryHandshake(
  port: number,
  ca: string,
  onPort: (port: number | undefined) => void,
): Promise<void> {
  const host = "api2.cursor.sh";
  const asked = request({ host: "127.0.0.1", port, method: "CONNECT", path: `${host}:443`, agent: false });
  asked.setTimeout(patienceMs, () => asked.destroy(new Error("no answer within 5 s"))).end();
  const [answer, socket] = (await once(asked, "connect")) as [IncomingMessage, Socket];
  onPort(socket.localPort);
  try {
    if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
    const encrypted = connect({ socket, servername: host, ca });
    await once(encrypted, "secureConnect");
    encrypted.destroy();
  } finally {
    socket.destroy();
  }
}
