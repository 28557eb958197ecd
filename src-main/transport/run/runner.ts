/**
 * One conversation while it is alive: hears inputs, commits, publishes, obeys.
 *
 * Rule 1: every input goes through `#hear`: transition, commit, then the network. All of it is synchronous, so the
 *         inputs of a conversation cannot overlap, whichever sockets they come from.
 * Rule 2: a connection is a View that comes and goes. Without one the run goes on for a grace time, then it is
 *         parked: the provider's stream is closed and the store alone knows the run, just as after a crash.
 *
 *   attempt -- start, resume, reply, cancel --> runner -- updates, questions, tail --> attempt (view.ts)
 *                                               |   ^
 *                                       request v   | events of one network chunk
 *                                              provider stream (provider.ts)
 */
import type { Clock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { Llm } from "../../llm/llm.ts";
import type { Channel, ResponseEvent, UserMessage } from "../../llm/types.ts";
import { callCommand } from "../../loop/call.ts";
import { isVisible, visibleText } from "../../loop/pending.ts";
import { isBusy } from "../../loop/transition.ts";
import type { Command, ConversationState, Input, Reply, Tools } from "../../loop/types.ts";
import type { Store } from "../../store/store.ts";
import type { TryRecord } from "../../store/tries.ts";
import type { Problem } from "../wire/errors.ts";
import type { Along, Ledger } from "./ledger.ts";
import type { Progress } from "./progress.ts";
import { Provider } from "./provider.ts";
import type { View } from "./view.ts";

/** How long a run goes on after its connection was lost, before it is parked. */
export const graceMs = 10_000;

export interface RunnerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly tools: Tools;
  channel(id: string): Channel | null;
  createLlm(channel: Channel): Llm;
  onCall(callId: string): void;
}

type CallLlm = Extract<Command, { readonly type: "call_llm" }>;
type Start = Extract<Input, { readonly type: "start" }>;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #ledger: Ledger;
  readonly #release: () => void;
  #progress: Progress | null = null;
  #view: View | null = null;
  #provider: Provider | null = null;
  #stopGrace: () => void = () => {};

  /** `release` is called when the process need not remember this conversation any longer. */
  constructor(options: RunnerOptions, ledger: Ledger, release: () => void) {
    this.#options = options;
    this.#ledger = ledger;
    this.#release = release;
  }

  get state(): ConversationState {
    return this.#ledger.state.committed;
  }

  get isBusy(): boolean {
    return isBusy(this.state.phase);
  }

  /** Whether this process still knows what the client has seen of the run. */
  get isShowing(): boolean {
    return this.#progress !== null;
  }

  /** A new run; one that is still open is settled in the same commit. */
  start(input: Start, messageHash: Uint8Array, progress: Progress, view: View): void {
    this.#stopProvider();
    this.#view?.end({ kind: "conflict", message: "A newer message took over this conversation." });
    this.#attach(view);
    this.#progress = progress;
    this.#safely(() => this.#obey(this.#hear(input, `run:${input.runId}`, { messageHash })));
  }

  /** The same run on a new connection, in this process or after a restart (`progress` then begins anew). */
  resume(view: View, progress: Progress | null): void {
    this.#view?.end(null);
    this.#attach(view);
    this.#progress = progress ?? this.#progress;
    this.#safely(() => {
      this.#progress?.attach(view, this.state);
      if (progress) this.#showAgain(progress, view);
      this.#continue(view);
      view.flush();
    });
  }

  reply(operationId: string, step: number, reply: Reply): void {
    const input: Input = { type: "reply", operationId, step, reply };
    this.#safely(() => this.#obey(this.#hear(input, `op:${operationId}/${step}`)));
  }

  inject(injectionId: string, message: UserMessage): void {
    this.#safely(() =>
      this.#obey(this.#hear({ type: "inject", injectionId, message }, `inject:${injectionId}`)),
    );
  }

  cancel(reason: string): void {
    this.#stopProvider();
    const { run } = this.state;
    this.#safely(() => this.#obey(this.#hear({ type: "cancel", reason }, `cancel:${run?.runId ?? ""}`)));
  }

  /** Live output of a tool, straight into its card. */
  show(message: Parameters<Progress["show"]>[0]): void {
    this.#progress?.show(message, this.#view);
    this.#flush();
  }

  acknowledged(kvId: number): void {
    const commitId = this.#progress?.acknowledged(kvId);
    if (commitId) this.#ledger.acknowledged(commitId);
  }

  /** The connection is gone. Nothing is committed: it cannot be told from a short break. */
  detach(view: View): void {
    if (this.#view !== view) return;
    this.#view = null;
    this.#stopGrace();
    this.#stopGrace = this.#options.clock.after(graceMs, () => this.park());
  }

  /** Leaves the run to the store, as a crash would. */
  park(): void {
    this.#stopGrace();
    this.#stopProvider();
    this.#view?.end(null);
    this.#view = null;
    this.#progress = null;
    this.#release();
  }

  #attach(view: View): void {
    this.#stopGrace();
    this.#view = view;
  }

  /** What was delivered is unknown after a restart: the answer that may be missing follows behind a boundary. */
  #showAgain(progress: Progress, view: View): void {
    const { phase, messages } = this.state;
    if (phase.type !== "waiting_llm" && phase.type !== "final") return;
    progress.boundary("The connection was lost; the answer follows again.", view);
    const answer = phase.type === "final" ? messages.at(-1) : null;
    if (answer?.role !== "assistant") return;
    for (const block of answer.blocks)
      if (block.type === "text") progress.publish([{ type: "text_delta", index: 0, text: block.text }], view);
  }

  /** What the state waits for is asked again: open questions with the same bytes, an open call with its request. */
  #continue(view: View): void {
    const { phase, run } = this.state;
    switch (phase.type) {
      case "waiting_client":
        for (const { operationId, call, replies, step } of phase.batch)
          if (step.type !== "done") view.ask({ operationId, step: replies.length, call, request: step });
        return;
      case "waiting_llm":
        if (!this.#provider) this.#call(callCommand(this.state, 1, null), "stored");
        return;
      case "final":
      case "canceled":
        return this.#finish(null);
      case "failed":
        return this.#finish(phase.error);
      case "ready":
        return this.#finish({ kind: "bug", message: `The run ${run?.runId ?? ""} has not begun.` });
    }
  }

  /** Commit first, then publish. */
  #hear(input: Input, inputId: string, along: Along = {}): Command {
    const { emit, command } = this.#ledger.hear(input, inputId, along);
    this.#progress?.publish(emit, this.#view);
    return command;
  }

  #obey(command: Command): void {
    switch (command.type) {
      case "call_llm":
        if (command.try === 1 && this.#view)
          this.#progress?.sendCheckpoint(this.#progress.checkpoint(this.state), this.#view);
        this.#call(command, command.try === 1 ? "planned" : "stored");
        break;
      case "call_client":
        for (const step of command.steps) this.#view?.ask(step);
        break;
      case "final":
      case "canceled":
        this.#finish(null);
        break;
      case "failed":
        this.#finish(command.error);
        break;
      case "continue_llm":
      case "wait":
        break;
    }
    this.#flush();
  }

  /** A repetition takes the request from the store, which checks that it is still the one that was planned. */
  #call(command: Command, source: "planned" | "stored"): void {
    if (command.type !== "call_llm") return this.#obey(command);
    const options = this.#options;
    const channel = options.channel(this.state.run?.setup.channelId ?? "");
    const request = source === "planned" ? command.request : options.store.calls.request(command.callId);
    this.#progress?.begin(command.callId);
    const provider = new Provider({ ...command, request }, options.clock, {
      hear: (event) => this.#onEvent(command, event),
      flush: () => {
        this.#flush();
        return this.#view?.drained() ?? Promise.resolve();
      },
      obey: (next) => this.#safely(() => this.#obey(next)),
      crash: (reason) => this.#crash(reason),
    });
    this.#provider = provider;
    options.onCall(command.callId);
    void provider.run(() => {
      if (!channel)
        throw new OwnkeyError("config", "The channel of this turn was removed. Pick another model.");
      return options.createLlm(channel);
    });
  }

  #onEvent({ callId }: CallLlm, event: ResponseEvent): Command {
    if (event.type !== "done" && event.type !== "error")
      return this.#hear({ type: "llm_event", callId, event }, `call:${callId}`);
    const { pending } = this.#ledger.state;
    const record = this.#ended(event);
    const command = this.#hear({ type: "llm_event", callId, event }, `call:${callId}`, { tries: record });
    if (command.type === "call_llm" && command.after) {
      for (const each of record) this.#options.store.calls.saveTry({ ...each, error: command.after });
      if (isVisible(pending)) this.#progress?.boundary(`${command.after.message} Asking again.`, this.#view);
    }
    this.#options.onCall(callId);
    return command;
  }

  /** The provider request that ends with `event`, for its record. */
  #ended(event: Extract<ResponseEvent, { readonly type: "done" | "error" }>): TryRecord[] {
    const provider = this.#provider;
    this.#provider = null;
    if (!provider) return [];
    const end =
      event.type === "done"
        ? { usage: event.usage, error: null, partial: null }
        : { usage: null, error: event.error, partial: visibleText(this.#ledger.state.pending) };
    return [provider.record(end)];
  }

  #finish(error: Problem | null): void {
    const view = this.#view;
    const { run } = this.state;
    const progress = this.#progress;
    if (!view || !progress || !run) return;
    const checkpoint = progress.checkpoint(this.state);
    view.finish({ problem: error, usage: run.usage, close: (to) => progress.sendCheckpoint(checkpoint, to) });
  }

  #flush(): void {
    if (this.#view) this.#progress?.flush(this.#view);
  }

  /** What was shown of the open try is kept with it; it is never a message. */
  #stopProvider(): void {
    const provider = this.#provider;
    if (!provider) return;
    provider.stop();
    this.#provider = null;
    const partial = visibleText(this.#ledger.state.pending);
    this.#options.store.calls.saveTry(provider.record({ usage: null, error: null, partial }));
    this.#ledger.dropPending();
  }

  #safely(work: () => void): void {
    try {
      work();
    } catch (reason) {
      this.#crash(reason);
    }
  }

  /** The store is the truth: what could not be committed did not happen, and the run is parked there. */
  #crash(reason: unknown): void {
    const { kind, message } = OwnkeyError.from(reason);
    this.#options.log.error("a run could not go on", { kind, reason: message });
    this.#view?.end({ kind, message: `The turn could not go on: ${message}` });
    this.#view = null;
    this.park();
  }
}
