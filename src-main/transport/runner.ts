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
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Llm } from "../llm/llm.ts";
import type { Channel, ResponseEvent, UserMessage } from "../llm/types.ts";
import { callCommand } from "../loop/call.ts";
import { isVisible, visibleText } from "../loop/pending.ts";
import { isBusy, toRuntime, transition } from "../loop/transition.ts";
import type { Command, ConversationState, Input, Reply, RuntimeState, Tools } from "../loop/types.ts";
import type { Store } from "../store/store.ts";
import type { TryRecord } from "../store/tries.ts";
import { notice } from "./dialect/encode.ts";
import type { Problem } from "./errors.ts";
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

export interface Identity {
  readonly principal: string;
  readonly clientId: string;
}

type CallLlm = Extract<Command, { readonly type: "call_llm" }>;
type Start = Extract<Input, { readonly type: "start" }>;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #identity: Identity;
  readonly #release: () => void;
  #version: number;
  #state: RuntimeState;
  #progress: Progress | null = null;
  #view: View | null = null;
  #provider: Provider | null = null;
  #stopGrace: () => void = () => {};
  #acked: Uint8Array[] = [];

  /** `release` is called when the process need not remember this conversation any longer. */
  constructor(
    options: RunnerOptions,
    identity: Identity,
    stored: { readonly version: number; readonly state: ConversationState },
    release: () => void,
  ) {
    this.#options = options;
    this.#identity = identity;
    this.#version = stored.version;
    this.#state = toRuntime(stored.state);
    this.#release = release;
  }

  get state(): ConversationState {
    return this.#state.committed;
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
    this.#safely(() => this.#obey(this.#hear(input, `run:${input.runId}`, messageHash)));
  }

  /** The same run on a new connection, in this process or after a restart (`progress` then begins anew). */
  resume(view: View, progress: Progress | null): void {
    this.#view?.end(null);
    this.#attach(view);
    this.#progress = progress ?? this.#progress;
    this.#safely(() => {
      this.#progress?.attach(view, () => this.#checkpoint());
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
    if (commitId) this.#acked.push(commitId);
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
        if (!this.#provider) this.#call(callCommand(this.state, 1, null));
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

  #hear(
    input: Input,
    inputId: string,
    messageHash: Uint8Array | null = null,
    tries: TryRecord[] = [],
  ): Command {
    const before = this.#state;
    const { state, emit, command } = transition(before, input, this.#options.tools);
    if (state.committed !== before.committed) {
      const { store, clock } = this.#options;
      const result = store.conversations.commit({
        ...this.#identity,
        version: this.#version,
        before: before.committed,
        after: state.committed,
        inputId,
        messageHash,
        completed: emit.filter((event) => event.type === "operation_completed"),
        tries,
        acked: this.#acked,
        now: clock.now(),
      });
      if (result.type !== "committed")
        throw new OwnkeyError("conflict", `The commit of ${inputId} met a ${result.type}.`);
      this.#version = result.version;
      this.#acked = [];
    }
    this.#state = state;
    this.#progress?.publish(emit, this.#view);
    return command;
  }

  #obey(command: Command): void {
    switch (command.type) {
      case "call_llm":
        if (command.try === 1) this.#sendCheckpoint();
        this.#call(command);
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

  #call(command: Command): void {
    if (command.type !== "call_llm") return this.#obey(command);
    const { options, channel } = { options: this.#options, channel: this.#channel() };
    this.#progress?.begin(command.callId);
    const provider = new Provider(command, options.clock, {
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
    const { pending } = this.#state;
    const record = this.#ended(event);
    const command = this.#hear({ type: "llm_event", callId, event }, `call:${callId}`, null, record);
    if (command.type === "call_llm" && command.after) {
      for (const each of record) this.#options.store.calls.saveTry({ ...each, error: command.after });
      if (isVisible(pending)) this.#progress?.boundary(`${command.after.message} Asking again.`, this.#view);
    } else if (event.type === "done") {
      this.#progress?.answered(callId, event.message, event.usage);
      if (command.type === "final" && event.message.stopReason !== "stop")
        this.#tell(event.message.stopReason);
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
        : { usage: null, error: event.error, partial: visibleText(this.#state.pending) };
    return [provider.record(end)];
  }

  #tell(stopReason: "length" | "filtered" | "tool_use"): void {
    const text = stopReasons[stopReason];
    if (text) for (const message of notice(text)) this.#progress?.show(message, this.#view);
  }

  #finish(error: Problem | null): void {
    const view = this.#view;
    const { run } = this.state;
    const progress = this.#progress;
    if (!view || !progress || !run) return;
    const checkpoint = this.#checkpoint();
    view.finish({ problem: error, usage: run.usage, close: (to) => progress.sendCheckpoint(checkpoint, to) });
  }

  #sendCheckpoint(): void {
    if (this.#view && this.#progress) this.#progress.sendCheckpoint(this.#checkpoint(), this.#view);
  }

  #checkpoint() {
    const { progress, state } = { progress: this.#progress, state: this.state };
    if (!progress) throw new OwnkeyError("bug", "A checkpoint was asked for without a run.");
    const checkpoint = progress.checkpoint(state);
    this.#options.store.checkpoints.save({
      blobId: checkpoint.commitId,
      conversationId: state.conversationId,
      epoch: state.epoch,
      messageCount: state.messages.length,
      historyHash: state.historyHash,
      runId: state.run?.runId ?? "",
      sentMs: this.#options.clock.now(),
    });
    return checkpoint;
  }

  #channel(): Channel | null {
    return this.#options.channel(this.state.run?.setup.channelId ?? "");
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
    const partial = visibleText(this.#state.pending);
    this.#options.store.calls.saveTry(provider.record({ usage: null, error: null, partial }));
    this.#state = { ...this.#state, pending: null };
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

const stopReasons: Readonly<Record<"length" | "filtered" | "tool_use", string | null>> = {
  length: "The answer was cut off at the model's output limit. Send “continue” to go on.",
  filtered: "The model's provider ended this answer for its content rules.",
  tool_use: null,
};
