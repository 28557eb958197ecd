/** Ends a request that is aborted or stays silent too long, and knows afterwards which it was. */
import type { Clock } from "../../base/clock.ts";
import { canceled, failure, type Upstream } from "../failure/errors.ts";
import type { LlmError } from "../types.ts";

/** Of one request. Times in milliseconds. */
export interface Limits {
  readonly connectMs: number;
  /** From the beginning to the first byte of the body. */
  readonly firstByteMs: number;
  /** Between two chunks. */
  readonly idleMs: number;
  /** The same, after the provider said why it stops. */
  readonly tailMs: number;
  /** Of the answer, unpacked. With the usual framing, some 250 bytes a token, the default is a million tokens. */
  readonly bodyBytes: number;
}

export const usualLimits: Limits = {
  connectMs: 15_000,
  firstByteMs: 120_000,
  idleMs: 120_000,
  tailMs: 5_000,
  bodyBytes: 256 * 1024 * 1024,
};

/**
 * One timer serves a whole stream: a chunk only notes the time, and the timer, when it rings, is set again for what
 * is left. So a chunk costs no timer.
 */
export class Guard {
  readonly #upstream: Upstream;
  readonly #clock: Clock;
  readonly #limits: Limits;
  readonly #caller: AbortSignal;
  readonly #controller = new AbortController();
  readonly #abort = () => this.close();
  #phase: "opening" | "streaming" | "settled" = "opening";
  #heardMs: number;
  #callOff: () => void;
  #silence: LlmError | null = null;

  constructor(upstream: Upstream, clock: Clock, limits: Limits, caller: AbortSignal) {
    this.#upstream = upstream;
    this.#clock = clock;
    this.#limits = limits;
    this.#caller = caller;
    this.#heardMs = clock.now();
    this.#callOff = clock.after(limits.firstByteMs, () => this.#ring());
    caller.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** A chunk came; `settled`: the provider has said why it stops. */
  heard(settled: boolean): void {
    this.#heardMs = this.#clock.now();
    const phase = settled ? "settled" : "streaming";
    if (phase === this.#phase) return;
    this.#phase = phase;
    this.#arm(this.#limit());
  }

  /** Why the request was ended from this side; null when it was not. */
  reason(): LlmError | null {
    return this.#caller.aborted ? canceled : this.#silence;
  }

  /** Ends the request if it still runs. */
  close(): void {
    this.#callOff();
    this.#caller.removeEventListener("abort", this.#abort);
    this.#controller.abort();
  }

  #limit(): number {
    const { firstByteMs, idleMs, tailMs } = this.#limits;
    return { opening: firstByteMs, streaming: idleMs, settled: tailMs }[this.#phase];
  }

  #arm(ms: number): void {
    this.#callOff();
    this.#callOff = this.#clock.after(ms, () => this.#ring());
  }

  #ring(): void {
    const limit = this.#limit();
    const left = this.#heardMs + limit - this.#clock.now();
    if (left > 0) return this.#arm(left);
    const { host } = this.#upstream;
    const seconds = Math.round(limit / 100) / 10;
    this.#silence =
      this.#phase === "opening"
        ? failure("network", "timeout_first_byte", `${host} did not answer within ${seconds} s.`, true)
        : failure(
            "network",
            "timeout_idle",
            `${host} fell silent for ${seconds} s in the middle of its answer.`,
            true,
          );
    this.close();
  }
}
