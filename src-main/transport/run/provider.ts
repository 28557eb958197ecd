/**
 * One provider request of a call: opened after a pause when it is a repetition, read chunk by chunk, stopped at will.
 *
 * Its record becomes a row of llm_tries. A stream that was stopped says nothing more: what it had shown is kept with
 * the record, and the state it belonged to has moved on.
 */
import { type Clock, sleep } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import type { Llm } from "../../llm/llm.ts";
import type { LlmError, ResponseEvent, Usage } from "../../llm/types.ts";
import type { Command } from "../../loop/types.ts";
import type { TryRecord } from "../../store/tries.ts";

type CallLlm = Extract<Command, { readonly type: "call_llm" }>;

export interface Listener {
  /** Decides about one event; anything but continue_llm ends the reading. */
  hear(event: ResponseEvent): Command;
  /** The events of one network chunk have been heard. Resolves when more can be taken. */
  flush(): Promise<void>;
  obey(command: Command): void;
  /** Something threw that must not: the run cannot go on in this process. */
  crash(reason: unknown): void;
}

/** Before the second try; doubled with each further one, give or take a quarter. */
const firstPauseMs = 500;

export class Provider {
  readonly #command: CallLlm;
  readonly #number: number;
  readonly #clock: Clock;
  readonly #listener: Listener;
  readonly #abort = new AbortController();
  #startedMs: number;
  #firstMs: number | null = null;

  /** `number`: of this request among all that the call has cost, over restarts too. */
  constructor(command: CallLlm, number: number, clock: Clock, listener: Listener) {
    this.#command = command;
    this.#number = number;
    this.#clock = clock;
    this.#listener = listener;
    this.#startedMs = clock.now();
  }

  get callId(): string {
    return this.#command.callId;
  }

  async run(open: () => Llm): Promise<void> {
    const { signal } = this.#abort;
    try {
      const { after, try: attempt, request } = this.#command;
      if (after && !(await sleep(this.#clock, pauseMs(attempt, after), signal))) return;
      this.#startedMs = this.#clock.now();
      for await (const events of opened(open).stream(request, signal)) {
        if (signal.aborted) return;
        if (this.#firstMs === null && events.some(isContent)) this.#firstMs = this.#clock.now();
        const next = this.#hearAll(events);
        const written = this.#listener.flush();
        if (next) return this.#listener.obey(next);
        await written;
      }
      if (!signal.aborted) this.#listener.obey(this.#listener.hear({ type: "error", error: endless }));
    } catch (reason) {
      if (!signal.aborted) this.#listener.crash(reason);
    }
  }

  stop(): void {
    this.#abort.abort();
  }

  record(end: { usage: Usage | null; error: LlmError | null; partial: string | null }): TryRecord {
    return {
      callId: this.#command.callId,
      try: this.#number,
      startedMs: this.#startedMs,
      firstMs: this.#firstMs,
      endedMs: this.#clock.now(),
      ...end,
    };
  }

  #hearAll(events: readonly ResponseEvent[]): Command | null {
    for (const event of events) {
      const command = this.#listener.hear(event);
      if (command.type !== "continue_llm") return command;
    }
    return null;
  }
}

/** The first token, not the first byte: providers greet long before they think. */
const isContent = ({ type }: ResponseEvent): boolean => /_(start|delta)$/.test(type);

/** A channel that cannot be opened fails like one that does not answer: by an event. */
function opened(open: () => Llm): Llm {
  try {
    return open();
  } catch (reason) {
    const { kind, message } = OwnkeyError.from(reason);
    const error: LlmError = { kind, code: "channel_unusable", message, retryable: false, retryAfterMs: null };
    return {
      async *stream() {
        yield [{ type: "error", error }];
      },
    };
  }
}

function pauseMs(attempt: number, after: LlmError): number {
  if (after.retryAfterMs !== null) return after.retryAfterMs;
  return Math.round(firstPauseMs * 2 ** (attempt - 2) * (0.75 + Math.random() / 2));
}

const endless: LlmError = {
  kind: "bug",
  code: "no_end",
  message: "The adapter ended its stream with neither an answer nor an error.",
  retryable: false,
  retryAfterMs: null,
};
