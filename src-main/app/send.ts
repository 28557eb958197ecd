/** Whole answers of the listener. */
import type { HttpResponse } from "../transport/wire/http.ts";

export function send(response: HttpResponse, status: number, type: string, body: Uint8Array | string): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { "content-type": type, "content-length": bytes.length }).end(bytes);
}

/** A status and one sentence. */
export function refuse(response: HttpResponse, status: number, sentence: string): void {
  send(response, status, "text/plain; charset=utf-8", `${sentence}\n`);
}
