/**
 * The relay: a request goes on as it came, and so does its answer, byte for byte and as soon as it is there.
 *
 * What stays behind is what belongs to one connection (raw-headers.ts). Nothing is buffered beyond what the sockets
 * hold, nothing is added; an answer that breaks off here breaks off there. HTTP/1.1 goes on as HTTP/1.1 and HTTP/2 as
 * HTTP/2; only a host that speaks nothing else gets HTTP/2 whatever came.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants, type Http2ServerRequest, type Http2ServerResponse } from "node:http2";
import type { Readable, Writable } from "node:stream";
import { OwnkeyError } from "../base/errors.ts";
import type { HttpResponse } from "../transport/wire/http.ts";
import { endToEnd, pairs, type RawHeaders, toObject } from "./raw-headers.ts";
import type { Answer, Asked } from "./upstream.ts";

export type Request = IncomingMessage | Http2ServerRequest;
export type Response = ServerResponse | Http2ServerResponse;

/** The answer's head and body go to the client as they come. */
export function passAnswer(answer: Answer, response: Response): void {
  const { body } = answer;
  const sink = begin(response, answer);
  body.on("error", () => breakOff(response));
  body.on("end", () => {
    const code = brokenBy(body);
    if (code === null) sink.end();
    else breakOff(response, code);
  });
  sink.on("error", () => {}).once("close", () => body.destroy());
  body.pipe(sink, { end: false });
}

/** HTTP/2's reason why a body ended before its end; node lets a CANCEL look like an end. */
function brokenBy(body: Readable): number | null {
  const code = "rstCode" in body ? body.rstCode : undefined;
  return typeof code === "number" && code !== constants.NGHTTP2_NO_ERROR ? code : null;
}

/** The beginning of an answer, and where its body goes. */
function begin(response: Response, { status, reason, headers, body, trailers, isEmpty }: Answer): Writable {
  if (isHttp2(response)) {
    const { stream } = response;
    const options = { waitForTrailers: !isEmpty, endStream: isEmpty, sendDate: false };
    // Node's own listener would send its own trailers first, which are none.
    stream
      .removeAllListeners("wantTrailers")
      .on("wantTrailers", () => stream.sendTrailers(toObject(endToEnd(trailers(), 2))));
    stream.respond([":status", String(status), ...endToEnd(headers, 2)], options);
    return stream;
  }
  response.sendDate = false;
  response.writeHead(status, reason, withoutPromise(endToEnd(headers, 1), response, status));
  response.flushHeaders();
  body.once("end", () => {
    const trailing = trailers();
    if (trailing.length > 0) response.addTrailers(pairs(trailing));
  });
  return response;
}

/** Where no body can follow, node refuses to promise trailers. */
function withoutPromise(headers: string[], { req }: ServerResponse, status: number): string[] {
  const hasBody = req.method !== "HEAD" && status !== 204 && status !== 304;
  return hasBody
    ? headers
    : pairs(headers)
        .filter(([name]) => name.toLowerCase() !== "trailer")
        .flat();
}

/** The client sees a connection that broke, as it would without us. */
export function breakOff(response: Response, code: number = constants.NGHTTP2_INTERNAL_ERROR): void {
  if (isHttp2(response)) response.stream.close(code);
  else response.destroy();
}

export function refuse(response: Response, reason: unknown): void {
  if (response.headersSent) return breakOff(response);
  const error = OwnkeyError.from(reason);
  const status = error.kind === "config" ? 403 : error.kind === "bug" ? 500 : 502;
  sendText(response, status, `Ownkey: ${error.message}`);
}

export function sendText(response: HttpResponse, status: number, sentence: string): void {
  const body = Buffer.from(`${sentence}\n`);
  response.writeHead(status, { "content-type": "text/plain; charset=utf-8", "content-length": body.length });
  response.end(body);
}

/** A whole answer of 200 with these headers. */
export function sendBytes(response: Response, headers: RawHeaders, body: Uint8Array): void {
  if (isHttp2(response)) {
    const lengthened = [...endToEnd(headers, 2), "content-length", String(body.length)];
    response.stream.respond([":status", "200", ...lengthened]);
    response.stream.end(body);
  } else {
    response.writeHead(200, [...endToEnd(headers, 1), "content-length", String(body.length)]);
    response.end(body);
  }
}

/** What a client asks, as it goes on to `host`. `body`: in place of the request's own. */
export function askedOf(request: Request, host: string, body: Readable | null = bodyOf(request)): Asked {
  return {
    host,
    version: request.httpVersionMajor === 2 ? 2 : 1,
    method: request.method ?? "GET",
    path: request.url ?? "/",
    headers: request.rawHeaders,
    body,
    trailers: () => request.rawTrailers as RawHeaders,
  };
}

function bodyOf(request: Request): Readable | null {
  if ("stream" in request) return request.stream.endAfterHeaders ? null : request;
  const { headers } = request;
  return headers["transfer-encoding"] === undefined && headers["content-length"] === undefined
    ? null
    : request;
}

const isHttp2 = (response: Response): response is Http2ServerResponse => "stream" in response;
