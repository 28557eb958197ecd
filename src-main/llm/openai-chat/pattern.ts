/**
 * The chunks of a stream are mostly one text with ever another piece in it; such a one need not be parsed.
 *
 *   {"id":"c1","choices":[{"index":0,"delta":{"content":"   Hi   "},"finish_reason":null}]}
 *   '-------------------- before --------------------'  piece '--------- after ---------'
 *
 * Rule: it is learned from a chunk that was parsed and did nothing but add its content, which stands in it once. A
 * piece without quotes, backslashes and control characters means itself in JSON. So a chunk that differs in nothing
 * but such a piece would parse to the same, with this content.
 */
export class ChunkPattern {
  #before: string | null = null;
  #after = "";

  /** What a chunk like the one that was learned adds; null: it is another kind, or has to be parsed to know. */
  pieceIn(data: string): string | null {
    if (this.#before === null || !data.startsWith(this.#before) || !data.endsWith(this.#after)) return null;
    const piece = data.slice(this.#before.length, data.length - this.#after.length);
    return plain.test(piece) ? piece : null;
  }

  learn(data: string, content: string): void {
    const [first, second] = data.matchAll(contentKey);
    const start = first && first.index + first[0].length;
    if (start === undefined || second || !data.startsWith(`${content}"`, start)) return;
    this.#before = data.slice(0, start);
    this.#after = data.slice(start + content.length);
  }
}

/** Inside a string of JSON its quotes would be escaped: this is a key. */
const contentKey = /"content": ?"/g;
const plain = /^[^"\\\p{Cc}]+$/u;
