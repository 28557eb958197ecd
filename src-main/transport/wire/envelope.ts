/**
 * Connect's envelopes and bodies: flags(1) | length(4, big endian) | bytes, and the bounds of what may be inflated.
 *
 * flag 1: the bytes are compressed; flag 2: the end of the stream, as JSON.
 */
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { OwnkeyError } from "../../base/errors.ts";

const compressedFlag = 1;
export const endFlag = 2;
export const headerBytes = 5;

/** Of one message after inflation. */
export const maxMessageBytes = 64 * 1024 * 1024;

export function toEnvelope(bytes: Uint8Array, flags = 0): Buffer {
  const envelope = Buffer.allocUnsafe(headerBytes + bytes.length);
  envelope[0] = flags;
  envelope.writeUInt32BE(bytes.length, 1);
  envelope.set(bytes, headerBytes);
  return envelope;
}

/** What the envelopes in `bytes` hold, one after the other; they are whole and not compressed. */
export function* contentsOf(bytes: Buffer): Generator<Buffer, void, undefined> {
  for (let at = 0; at + headerBytes <= bytes.length; ) {
    const end = at + headerBytes + bytes.readUInt32BE(at + 1);
    yield bytes.subarray(at + headerBytes, end);
    at = end;
  }
}

/** The bytes of the first envelope in `body`. Throws `protocol` when there is none, or `limit` when it is a bomb. */
export function readEnvelope(
  body: Buffer,
  encoding: string | undefined,
  limit = maxMessageBytes,
): Uint8Array {
  if (body.length < headerBytes) throw new OwnkeyError("protocol", "The request holds no whole envelope.");
  const flags = body[0] ?? 0;
  const end = headerBytes + body.readUInt32BE(1);
  if (end > body.length) throw new OwnkeyError("protocol", "The envelope is longer than the request.");
  return contentOf(flags, body.subarray(headerBytes, end), encoding, limit);
}

/** What an envelope of the client's holds. `encoding`: of connect-content-encoding. */
export function contentOf(
  flags: number,
  bytes: Uint8Array,
  encoding: string | undefined,
  limit = maxMessageBytes,
): Uint8Array {
  if (flags === 0) return bytes;
  if (flags !== compressedFlag)
    throw new OwnkeyError("protocol", `An envelope with the flags ${flags} has no meaning in a request.`);
  if (!encoding || encoding === "identity")
    throw new OwnkeyError("protocol", "A compressed envelope came without connect-content-encoding.");
  return inflate(bytes, encoding, limit);
}

/**
 * One layer of gzip or brotli. The one-shot calls stop at the bound before the memory is taken; a stream would
 * deliver the whole bomb.
 */
export function inflate(bytes: Uint8Array, encoding: string, limit = maxMessageBytes): Uint8Array {
  const options = { maxOutputLength: limit };
  try {
    switch (encoding) {
      case "gzip":
        return gunzipSync(bytes, options);
      case "br":
        return brotliDecompressSync(bytes, options);
      default:
        throw new OwnkeyError("protocol", `The encoding ${JSON.stringify(encoding)} is not known here.`);
    }
  } catch (cause) {
    if (cause instanceof OwnkeyError) throw cause;
    const isTooLarge = (cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    throw isTooLarge
      ? new OwnkeyError("limit", `The message inflates to more than ${limit} bytes.`, { cause })
      : new OwnkeyError("protocol", `The ${encoding} data is damaged.`, { cause });
  }
}
