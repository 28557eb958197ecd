/** At most so many requests of a channel at the same time; the others wait in the order in which they came. */
export class Slots {
  #taken = 0;
  readonly #waiting: (() => void)[] = [];

  /** Resolves with the way to give it back, once one is free; null: the signal ended the waiting. `most` null: no limit. */
  async take(most: number | null, signal: AbortSignal): Promise<(() => void) | null> {
    if (signal.aborted) return null;
    if (most !== null && this.#taken >= most && !(await this.#turn(signal))) return null;
    this.#taken++;
    return () => {
      this.#taken--;
      this.#waiting.shift()?.();
    };
  }

  #turn(signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const go = () => {
        signal.removeEventListener("abort", stop);
        resolve(true);
      };
      const stop = () => {
        const at = this.#waiting.indexOf(go);
        if (at >= 0) this.#waiting.splice(at, 1);
        resolve(false);
      };
      this.#waiting.push(go);
      signal.addEventListener("abort", stop, { once: true });
    });
  }
}
