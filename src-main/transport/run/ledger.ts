/** The committed half of a conversation: state and version move together, or not at all. */
import type { Clock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import { toRuntime } from "../../loop/follow.ts";
import { isBusy, transition } from "../../loop/transition.ts";
import type {
  ConversationState,
  Input,
  LoopEvent,
  RuntimeState,
  Tools,
  Transition,
} from "../../loop/types.ts";
import type { Store } from "../../store/store.ts";
import type { TryRecord } from "../../store/tries.ts";
import type { Watch } from "./watch.ts";

export interface Identity {
  readonly principal: string;
  /** Cursor's conversation_id. */
  readonly clientId: string;
}

export interface Along {
  /** SHA-256 of the user message, with a start. */
  readonly messageHash?: Uint8Array;
  readonly tries?: readonly TryRecord[];
}

export interface LedgerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly tools: Tools;
  readonly watch?: Watch;
}

export class Ledger {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #tools: Tools;
  readonly #watch: Watch | undefined;
  readonly #identity: Identity;
  #version: number;
  #state: RuntimeState;
  #acked: Uint8Array[] = [];

  constructor(
    { store, clock, tools, watch }: LedgerOptions,
    identity: Identity,
    stored: { readonly version: number; readonly state: ConversationState },
  ) {
    this.#store = store;
    this.#clock = clock;
    this.#tools = tools;
    this.#watch = watch;
    this.#identity = identity;
    this.#version = stored.version;
    this.#state = toRuntime(stored.state);
  }

  get state(): RuntimeState {
    return this.#state;
  }

  /**
   * A transition, committed when it changed anything. An input that was committed before changes nothing. Throws when
   * the commit fails: then nothing has happened.
   */
  hear(input: Input, inputId: string, { messageHash, tries }: Along = {}): Transition {
    const before = this.#state;
    const next = transition(before, input, this.#tools);
    if (next.state.committed !== before.committed) {
      const result = this.#store.conversations.commit({
        ...this.#identity,
        version: this.#version,
        before: before.committed,
        after: next.state.committed,
        base: next.base ?? null,
        inputId,
        messageHash: messageHash ?? null,
        completed: next.emit.filter((event) => event.type === "operation_completed"),
        tries: tries ?? [],
        acked: this.#acked,
        now: this.#clock.now(),
      });
      if (result.type === "duplicate")
        return { state: before, emit: repeated(input), command: { type: "wait" } };
      if (result.type === "conflict")
        throw new OwnkeyError("conflict", `Somebody else wrote to this conversation (at ${inputId}).`);
      this.#version = result.version;
      this.#acked = [];
    }
    this.#state = next.state;
    if (next.state.committed !== before.committed) this.#watch?.changed(before.committed.conversationId);
    return next;
  }

  /** The answer being streamed is given up; the state says what to ask again. */
  dropPending(): void {
    this.#state = toRuntime(this.#state.committed);
  }

  /** A checkpoint is known to have arrived; written with the next commit, if there will be one soon. */
  acknowledged(commitId: Uint8Array): void {
    if (isBusy(this.#state.committed.phase)) this.#acked.push(commitId);
    else this.#store.checkpoints.acknowledge(commitId, this.#clock.now());
  }

  /** Writes what would have gone with a next commit that may not come. */
  settleAcknowledged(): void {
    for (const commitId of this.#acked.splice(0))
      this.#store.checkpoints.acknowledge(commitId, this.#clock.now());
  }
}

/** What the client is told once more when its input was taken before. */
const repeated = (input: Input): readonly LoopEvent[] =>
  input.type === "inject" ? [{ type: "injected", injectionId: input.injectionId, state: "delivered" }] : [];
