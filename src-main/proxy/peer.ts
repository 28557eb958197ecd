/**
 * Whose process is at the other end of a loopback connection.
 *
 * Linux tells it in /proc/net/tcp, a line a socket: its own address, the other one, and in the eighth field the user.
 * The port numbers are hex; on loopback they find the line. Elsewhere nobody tells cheaply: null.
 */
import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";

export async function peerUid(socket: Socket): Promise<number | null> {
  if (process.platform !== "linux") return null;
  const { remotePort, localPort } = socket;
  if (remotePort === undefined || localPort === undefined) return null;
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    const uid = uidIn(await readFile(table, "latin1").catch(() => ""), remotePort, localPort);
    if (uid !== null) return uid;
  }
  return null;
}

/** The other end is another socket of this machine: what is local to it is remote to us. */
function uidIn(table: string, local: number, remote: number): number | null {
  const hex = (port: number) => `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  for (const line of table.split("\n")) {
    const [, own = "", other = "", , , , , uid] = line.trim().split(/\s+/);
    if (own.endsWith(hex(local)) && other.endsWith(hex(remote))) return Number(uid);
  }
  return null;
}

/** Root may do anything anyhow. */
export const isForeign = (uid: number | null): boolean =>
  uid !== null && uid !== 0 && uid !== process.geteuid?.();
