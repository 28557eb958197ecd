/** The answer that is streamed in the bench, and the check that it arrived: every piece by itself, in order. */
import assert from "node:assert/strict";

export const pieces = 100_000;

/** Four characters, like a token; each different, so that a lost, doubled or moved one is seen. */
export const pieceAt = (index: number): string => index.toString(36).padStart(4, "0");

export class Check {
  #next = 0;

  take(piece: string): void {
    assert.equal(piece, pieceAt(this.#next), `piece ${this.#next} is not the one that was sent`);
    this.#next++;
  }

  end(): void {
    assert.equal(this.#next, pieces, "pieces are missing at the end");
  }
}
