/** One HTTP/1.1 request, written byte for byte, as no well-behaved client would. */
import { connect } from "node:net";

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Resolves when the other side has closed. The request asks for that, unless `lines` say otherwise. */
export async function rawRequest(
  port: number,
  lines: readonly string[],
  body = "",
  host = "127.0.0.1",
): Promise<RawAnswer> {
  const socket = connect(port, host);
  socket.end(`${[...lines, "connection: close"].join("\r\n")}\r\n\r\n${body}`);
  const text = (await socket.setEncoding("latin1").toArray()).join("");
  const [head = "", ...rest] = text.split("\r\n\r\n");
  const [status = "", ...headers] = head.split("\r\n");
  return {
    status: Number(status.split(" ")[1]),
    headers: Object.fromEntries(
      headers.map((line) => [
        line.slice(0, line.indexOf(": ")).toLowerCase(),
        line.slice(line.indexOf(": ") + 2),
      ]),
    ),
    body: rest.join("\r\n\r\n"),
  };
}
