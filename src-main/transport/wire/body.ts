/** Request bodies: whole within a bound, and of a larger one its two ends, since it is drained and not refused. */
import { OwnkeyError } from "../../base/errors.ts";
import { inflate } from "./envelope.ts";
import type { HttpRequest } from "./http.ts";

/** An uncompressed body up to this size is taken whole. */
const maxBodyBytes = 32 * 1024 * 1024;
const endBytes = 4 * 1024;

export type Body =
  | { readonly type: "whole"; readonly bytes: Buffer }
  | { readonly type: "oversized"; readonly head: Buffer; readonly tail: Buffer; readonly length: number };

/** Throws `limit` for a compressed body beyond its bound, `network` when the client broke off. */
export async function readBody(request: HttpRequest, limit = maxBodyBytes): Promise<Body> {
  const body = await collect(request, limit);
  const encoding = request.headers["content-encoding"];
  if (!encoding || encoding === "identity") return body;
  if (body.type === "oversized")
    throw new OwnkeyError("limit", `A compressed request may have at most ${limit} bytes.`);
  return { type: "whole", bytes: Buffer.from(inflate(body.bytes, encoding)) };
}

async function collect(request: HttpRequest, limit: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let length = 0;
  let head: Buffer | null = null;
  let tail = Buffer.alloc(0);
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length;
      if (head === null && length > limit) {
        const all = Buffer.concat(chunks);
        chunks.length = 0;
        head = Buffer.concat([
          all.subarray(0, endBytes),
          chunk.subarray(0, Math.max(0, endBytes - all.length)),
        ]);
        tail = lastBytes(all, chunk);
      } else if (head) tail = lastBytes(tail, chunk);
      else chunks.push(chunk);
    }
  } catch (cause) {
    throw new OwnkeyError("network", "The request broke off.", { cause });
  }
  if (!request.complete) throw new OwnkeyError("network", "The request broke off.");
  return head ? { type: "oversized", head, tail, length } : { type: "whole", bytes: Buffer.concat(chunks) };
}

const lastBytes = (before: Buffer, chunk: Buffer): Buffer<ArrayBuffer> =>
  Buffer.concat([
    before.subarray(Math.max(0, before.length - endBytes)),
    chunk.subarray(Math.max(0, chunk.length - endBytes)),
  ]);
