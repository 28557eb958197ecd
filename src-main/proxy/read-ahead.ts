/**
 * Looking at the beginning of a request without taking it: what was read is read again by whoever gets it, then what
 * still comes.
 */
import { Readable } from "node:stream";
import { OwnkeyError } from "../base/errors.ts";
import type { HttpRequest } from "../transport/wire/http.ts";
import type { Request } from "./pass.ts";

export interface Ahead {
  readonly bytes: Buffer;
  /** Nothing follows. */
  readonly isWhole: boolean;
  /** The request, from its first byte. */
  readonly replay: Replay;
}

/** Reads until `enough` says so of what came so far, or the end. Throws `network` when the client breaks off before. */
export function readAhead(
  request: Request,
  enough: (length: number, bytes: () => Buffer) => boolean,
): Promise<Ahead> {
  const { promise, resolve, reject } = Promise.withResolvers<Ahead>();
  const chunks: Buffer[] = [];
  let length = 0;
  const joined = () => Buffer.concat(chunks);
  const stop = (isWhole: boolean) => {
    const bytes = joined();
    request.off("data", look).off("end", ended).off("close", broke).off("error", broke).pause();
    resolve({ bytes, isWhole, replay: new Replay(request, bytes, isWhole) });
  };
  const look = (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
    if (enough(length, joined)) stop(false);
  };
  const ended = () => (request.complete ? stop(true) : broke());
  const broke = () => reject(new OwnkeyError("network", "The request broke off."));
  request.on("data", look).once("end", ended).once("close", broke).once("error", broke);
  return promise;
}

/** A request that begins anew. */
export class Replay extends Readable implements HttpRequest {
  readonly method: string | undefined;
  readonly headers: HttpRequest["headers"];
  readonly httpVersionMajor: number;
  readonly #request: Request;
  #isListening = false;

  constructor(request: Request, bytes: Buffer, isWhole: boolean) {
    super();
    this.#request = request;
    this.method = request.method;
    this.headers = request.headers;
    this.httpVersionMajor = request.httpVersionMajor;
    if (bytes.length > 0) this.push(bytes);
    if (isWhole) this.push(null);
  }

  get complete(): boolean {
    return this.#request.complete;
  }

  override _read(): void {
    if (!this.#isListening) this.#listen();
    this.#request.resume();
  }

  #listen(): void {
    this.#isListening = true;
    const request = this.#request;
    const broke = () => this.destroy(new Error("the request broke off"));
    request.on("data", (chunk: Buffer) => {
      if (!this.push(chunk)) request.pause();
    });
    request.once("end", () => (request.complete ? this.push(null) : broke()));
    request.once("error", broke).once("close", () => {
      if (!request.readableEnded) broke();
    });
  }
}
