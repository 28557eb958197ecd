/** The ways in which a network may cut a stream. Each gives the same bytes, but for the ends of lines. */

export type Framing = (bytes: Uint8Array) => Iterable<Uint8Array>;

export const framings: Readonly<Record<string, Framing>> = {
  "all at once": (bytes) => [bytes],
  "whole events": (bytes) =>
    cutAfter(bytes, (at) => bytes[at] === lf && bytes[at - (bytes[at - 1] === cr ? 2 : 1)] === lf),
  "three bytes": (bytes) => pieces(bytes, () => 3),
  "odd cuts": (bytes) => pieces(bytes, seeded(bytes.length)),
  "inside characters": (bytes) => cutAfter(bytes, (at) => (bytes[at] ?? 0) > 0x7f),
  "CR and LF apart": (bytes) => {
    const crlf = withCrlf(bytes);
    return cutAfter(crlf, (at) => crlf[at] === cr);
  },
};

const cr = 0x0d;
const lf = 0x0a;

function* pieces(bytes: Uint8Array, size: () => number): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; ) {
    const to = from + size();
    yield bytes.subarray(from, to);
    from = to;
  }
}

function* cutAfter(bytes: Uint8Array, isCut: (at: number) => boolean): Generator<Uint8Array> {
  let from = 0;
  for (let at = 0; at < bytes.length; at++) {
    if (!isCut(at)) continue;
    yield bytes.subarray(from, at + 1);
    from = at + 1;
  }
  if (from < bytes.length) yield bytes.subarray(from);
}

/** Sizes from 1 to 17, the same for the same seed. */
function seeded(seed: number): () => number {
  let state = seed + 1;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return 1 + (state % 17);
  };
}

function withCrlf(bytes: Uint8Array): Uint8Array {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  return new TextEncoder().encode(text.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n"));
}
