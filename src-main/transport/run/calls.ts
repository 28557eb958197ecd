/** The model call that a conversation waits for: at most one provider request at a time, with its record. */
import type { Clock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import type { Tap } from "../../llm/exchange/tap.ts";
import type { Llm } from "../../llm/llm.ts";
import type { Channel, ResponseEvent } from "../../llm/types.ts";
import { isVisible, visibleText } from "../../loop/pending.ts";
import type { Command, Input, Pending } from "../../loop/types.ts";
import type { Store } from "../../store/store.ts";
import type { TryRecord } from "../../store/tries.ts";
import type { Along } from "./ledger.ts";
import { Provider } from "./provider.ts";
import type { Watch } from "./watch.ts";

export type CallLlm = Extract<Command, { readonly type: "call_llm" }>;

export interface CallOptions {
  readonly store: Store;
  readonly clock: Clock;
  channel(id: string): Channel | null;
  createLlm(channel: Channel, tap: Tap | null): Llm;
  onCall(callId: string): void;
  readonly watch?: Watch;
}

/** The conversation as a call sees it. */
export interface Asker {
  /** The answer as streamed so far. */
  readonly pending: Pending | null;
  hear(input: Input, inputId: string, along?: Along): Command;
  obey(command: Command): void;
  /** Says that what was shown is followed by a new answer. */
  boundary(reason: string): void;
  flush(): Promise<void>;
  crash(reason: unknown): void;
}

export class Calls {
  readonly #options: CallOptions;
  readonly #asker: Asker;
  #provider: Provider | null = null;

  constructor(options: CallOptions, asker: Asker) {
    this.#options = options;
    this.#asker = asker;
  }

  get isOpen(): boolean {
    return this.#provider !== null;
  }

  /** A repetition takes the request from the store, which checks that it is still the one that was planned. */
  begin(command: CallLlm, channelId: string, source: "planned" | "stored"): void {
    const { store, clock, channel, createLlm, onCall, watch } = this.#options;
    const asker = this.#asker;
    const isPlanned = source === "planned";
    const request = isPlanned ? command.request : store.calls.request(command.callId);
    const number = isPlanned ? 1 : (store.calls.get(command.callId)?.tries ?? 0) + 1;
    const provider = new Provider({ ...command, request }, number, clock, {
      hear: (event) => this.#hear(command, event),
      flush: () => asker.flush(),
      obey: (next) => asker.obey(next),
      crash: (reason) => asker.crash(reason),
    });
    this.#provider = provider;
    onCall(command.callId);
    void provider.run(() => {
      const found = channel(channelId);
      if (!found)
        throw new OwnkeyError("config", "The channel of this turn was removed. Pick another model.");
      return createLlm(found, watch?.tap(command.callId, number) ?? null);
    });
  }

  /** What was shown of the open try is kept with it; it is never a message. */
  stop(): void {
    const provider = this.#provider;
    if (!provider) return;
    provider.stop();
    this.#provider = null;
    const { callId } = provider;
    const partial = visibleText(this.#asker.pending);
    this.#options.store.calls.saveTry(provider.record({ usage: null, error: null, partial }));
    this.#options.watch?.stopped(callId);
    this.#options.onCall(callId);
  }

  #hear({ callId }: CallLlm, event: ResponseEvent): Command {
    this.#options.watch?.heard(callId, event);
    const input = { type: "llm_event", callId, event } as const;
    if (event.type !== "done" && event.type !== "error") return this.#asker.hear(input, `call:${callId}`);
    const { pending } = this.#asker;
    const tries = this.#ended(event, pending);
    const command = this.#asker.hear(input, `call:${callId}`, { tries });
    if (command.type === "call_llm" && command.after) {
      for (const record of tries) this.#options.store.calls.saveTry({ ...record, error: command.after });
      if (isVisible(pending)) this.#asker.boundary(`${command.after.message} Asking again.`);
    }
    this.#options.onCall(callId);
    return command;
  }

  /** The provider request that ends with `event`, for its record. */
  #ended(
    event: Extract<ResponseEvent, { readonly type: "done" | "error" }>,
    pending: Pending | null,
  ): TryRecord[] {
    const provider = this.#provider;
    this.#provider = null;
    if (!provider) return [];
    return [
      provider.record(
        event.type === "done"
          ? { usage: event.usage, error: null, partial: null }
          : { usage: null, error: event.error, partial: visibleText(pending) },
      ),
    ];
  }
}
