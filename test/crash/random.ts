/** Chance that can be repeated: the same seed draws the same numbers (mulberry32). */
export interface Random {
  /** 0 <= n < 1. */
  next(): number;
  /** One of 0 ... count - 1. */
  below(count: number): number;
}

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, below: (count) => Math.floor(next() * count) };
}
