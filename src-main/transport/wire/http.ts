/** What the transport uses of Node's HTTP/1.1 and HTTP/2 requests and answers: what both of them have. */
import type { IncomingHttpHeaders } from "node:http";
import type { Readable } from "node:stream";

export interface HttpRequest extends Readable {
  /** Optional for HTTP/1.1's sake; a server's request has one. */
  method?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly httpVersionMajor: number;
  /** False after an end that was none (HTTP/1.1; over HTTP/2 the reading fails then). */
  readonly complete: boolean;
}

export interface HttpResponse {
  readonly headersSent: boolean;
  /** HTTP/1.1's; see isClosed. */
  readonly closed?: boolean;
  /** HTTP/2's. */
  readonly stream?: { readonly closed: boolean };
  /** False once it is closed. */
  readonly writableNeedDrain: boolean;
  writeHead(status: number, headers: Record<string, string | number>): HttpResponse;
  /** HTTP/2 sends them at once. */
  flushHeaders?(): void;
  write(bytes: Uint8Array): boolean;
  end(bytes?: Uint8Array | string): unknown;
  /** Without an end: the client sees a connection that broke. */
  destroy(): unknown;
  once(event: "close" | "drain", listener: () => void): unknown;
  off(event: "close" | "drain", listener: () => void): unknown;
}

/** Whether nothing that is written arrives any more. */
export const isClosed = ({ closed, stream }: HttpResponse): boolean => stream?.closed ?? closed ?? false;
