/**
 * Envelopes out of a stream whose chunks are cut anywhere.
 *
 * One message is held at a time, and nothing is read beyond it before it was taken: a client that sends faster than
 * it is heard is slowed down by its own connection. A message too large to be taken is skipped, like an append.
 */
import { OwnkeyError } from "../../base/errors.ts";
import { contentOf, headerBytes, maxMessageBytes } from "./envelope.ts";

export type Received =
  | { readonly type: "message"; readonly bytes: Uint8Array }
  /** `head`: how the message began that was skipped. */
  | { readonly type: "oversized"; readonly head: Uint8Array };

/** Kept of a message that is skipped: its first fields stand there. */
const keptBytes = 64;

/**
 * `encoding`: of connect-content-encoding; `limit`: of one message, after inflation. Throws `protocol`, or `limit` for
 * a compressed message beyond its bound, `network` when the stream breaks off.
 */
export async function* readEnvelopes(
  chunks: AsyncIterable<Buffer>,
  encoding: string | undefined,
  limit = maxMessageBytes,
): AsyncGenerator<Received, void, undefined> {
  const stream = new ByteStream(chunks);
  for (let header = await stream.take(headerBytes); header; header = await stream.take(headerBytes)) {
    const flags = header[0] ?? 0;
    const length = header.readUInt32BE(1);
    if (length <= limit) {
      const bytes = await stream.need(length);
      yield { type: "message", bytes: contentOf(flags, bytes, encoding, limit) };
    } else if (flags === 0) {
      const head = await stream.need(keptBytes);
      await stream.skip(length - keptBytes);
      yield { type: "oversized", head };
    } else throw new OwnkeyError("limit", `A compressed message may have at most ${limit} bytes.`);
  }
}

class ByteStream {
  readonly #chunks: AsyncIterator<Buffer>;
  /** Read, and not taken yet. */
  #held: Buffer[] = [];
  #length = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** null: the stream has ended, and nothing was left. */
  async take(length: number): Promise<Buffer | null> {
    while (this.#length < length)
      if (!(await this.#read())) {
        if (this.#length === 0) return null;
        throw brokenOff();
      }
    const [first = Buffer.alloc(0)] = this.#held;
    const all = this.#held.length > 1 ? Buffer.concat(this.#held) : first;
    this.#hold(all.subarray(length));
    return all.subarray(0, length);
  }

  async need(length: number): Promise<Buffer> {
    const bytes = await this.take(length);
    if (!bytes) throw brokenOff();
    return bytes;
  }

  async skip(length: number): Promise<void> {
    for (let left = length; left > 0; ) {
      const { length: skipped } = await this.need(Math.min(left, this.#length || 1));
      left -= skipped;
    }
  }

  #hold(bytes: Buffer): void {
    this.#held = [bytes];
    this.#length = bytes.length;
  }

  async #read(): Promise<boolean> {
    const chunk = await this.#next();
    if (!chunk) return false;
    this.#held.push(chunk);
    this.#length += chunk.length;
    return true;
  }

  async #next(): Promise<Buffer | null> {
    try {
      const next = await this.#chunks.next();
      return next.done ? null : next.value;
    } catch (cause) {
      throw new OwnkeyError("network", "The stream broke off.", { cause });
    }
  }
}

const brokenOff = (): OwnkeyError => new OwnkeyError("protocol", "The stream ended within an envelope.");
