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
 *                                              calls.ts -> provider.ts
 */
import { OwnkeyError } from "../../base/errors.ts";
import type { Log } from "../../base/log.ts";
import type { UserMessage } from "../../llm/types.ts";
import { callCommand } from "../../loop/call.ts";
import { isBusy } from "../../loop/transition.ts";
import type { ClientStep, Command, ConversationState, Input, Reply, Tools } from "../../loop/types.ts";
import { mayRepeat } from "../dialect/tools/carry-out.ts";
import type { Problem } from "../wire/errors.ts";
import { type Asker, type CallOptions, Calls } from "./calls.ts";
import type { Along, Ledger } from "./ledger.ts";
import { type CarryOut, LocalSteps } from "./local-steps.ts";
import type { Progress } from "./progress.ts";
import { showAgain } from "./show-again.ts";
import type { View } from "./view.ts";

/** How long a run goes on after its connection was lost, before it is parked. */
export const graceMs = 10_000;

export interface RunnerOptions extends CallOptions {
  readonly log: Log;
  readonly tools: Tools;
  /** Carries out a step that is Ownkey's own: a page to fetch, a search. */
  readonly local: CarryOut;
}

type Start = Extract<Input, { readonly type: "start" }>;

export class Runner {
  readonly #options: RunnerOptions;
  readonly #ledger: Ledger;
  readonly #keep: () => void;
  readonly #release: () => void;
  #progress: Progress | null = null;
  #view: View | null = null;
  readonly #calls: Calls;
  readonly #local: LocalSteps;
  #stopGrace: () => void = () => {};

  /** `keep` and `release`: the process remembers this conversation from its first connection until it is parked. */
  constructor(options: RunnerOptions, ledger: Ledger, keep: (runner: Runner) => void, release: () => void) {
    this.#options = options;
    this.#ledger = ledger;
    this.#keep = () => keep(this);
    this.#release = release;
    this.#calls = new Calls(options, this.#asker());
    this.#local = new LocalSteps(options.local, ({ operationId, step }, reply) =>
      this.reply(operationId, step, reply),
    );
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

  /** What goes on is stopped and kept as far as it had come; the state is now what a newer run finds. */
  interrupt(): void {
    this.#stopWork();
    this.#ledger.settleAcknowledged();
  }

  /** A new run, after `interrupt`; one that is still open is settled in the same commit. */
  start(input: Start, messageHash: Uint8Array, progress: Progress, view: View): void {
    this.#view?.end({ kind: "conflict", message: "A newer message took over this conversation." });
    this.#attach(view);
    this.#progress = progress;
    this.#safely(() => {
      const { emit, command } = this.#ledger.hear(input, `run:${input.runId}`, { messageHash });
      // What the commit settles was shown by the older run, whose connection is gone.
      progress.publish(
        emit.filter(({ type }) => type === "summary_started"),
        view,
      );
      this.#obey(command);
    });
  }

  /** The same run on a new connection, in this process or after a restart (`progress` then begins anew). */
  resume(view: View, progress: Progress | null, brought: Uint8Array | null): void {
    const before = this.#view;
    this.#attach(view); // first: the one before did not break, so nothing that it was given went nowhere
    before?.end(null);
    this.#progress = progress ?? this.#progress;
    this.#safely(() => {
      this.#progress?.attach(view, brought);
      if (progress) showAgain(this.#options.store, this.state, progress, view);
      // Behind what is shown again: the client that brings it has all before it.
      this.#progress?.sendCheckpoint(this.#progress.checkpoint(this.state), view);
      this.#continue(view);
      view.flush();
    });
  }

  reply(operationId: string, step: number, reply: Reply): void {
    this.#take({ type: "reply", operationId, step, reply }, `op:${operationId}/${step}`);
  }

  inject(injectionId: string, message: UserMessage): void {
    this.#take({ type: "inject", injectionId, message }, `inject:${injectionId}`);
  }

  cancel(reason: string): void {
    this.#stopWork();
    this.#take({ type: "cancel", reason }, `cancel:${this.state.run?.runId ?? ""}`);
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
    this.#progress?.lost();
    this.#stopGrace();
    this.#stopGrace = this.#options.clock.after(graceMs, () => this.park());
  }

  /** Leaves the run to the store, as a crash would. */
  park(): void {
    this.#stopGrace();
    this.interrupt();
    this.#view?.end(null);
    this.#view = null;
    this.#progress = null;
    this.#release();
    this.#options.watch?.changed(this.state.conversationId);
  }

  #asker(): Asker {
    const pending = () => this.#ledger.state.pending;
    return {
      get pending() {
        return pending();
      },
      hear: (input, inputId, along) => this.#hear(input, inputId, along),
      obey: (command) => this.#safely(() => this.#obey(command)),
      boundary: (reason) => this.#progress?.boundary(reason, this.#view),
      flush: () => {
        this.#flush();
        return this.#view?.drained() ?? Promise.resolve();
      },
      crash: (reason) => this.#crash(reason),
    };
  }

  #attach(view: View): void {
    this.#keep();
    this.#stopGrace();
    this.#view = view;
  }

  /** What the state waits for is asked again: open questions with the same bytes, an open call with its request. */
  #continue(view: View): void {
    const { phase, run } = this.state;
    switch (phase.type) {
      case "waiting_client":
        for (const { operationId, call, replies, step } of phase.batch)
          if (step.type !== "done")
            this.#askAgain({ operationId, step: replies.length, call, request: step }, view);
        return;
      case "waiting_llm":
        if (!this.#calls.isOpen) this.#call(callCommand(this.state, 1, null), "stored");
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

  /** The client takes a repeated question from its memory, except where it would carry it out a second time. */
  #askAgain(step: ClientStep, view: View): void {
    const spec = this.state.run?.setup.tools.find(({ name }) => name === step.call.name);
    if (step.request.type !== "exec" || mayRepeat(spec)) return this.#ask(step, view, true);
    const reason = "The connection was lost while this ran; it may have taken effect.";
    this.reply(step.operationId, step.step, { type: "failure", reason });
  }

  #ask(step: ClientStep, view: View | null, again = false): void {
    if (step.request.type === "local") this.#local.begin(step, step.request.request);
    else view?.ask(step, again);
  }

  #take(input: Input, inputId: string, along: Along = {}): void {
    this.#safely(() => this.#obey(this.#hear(input, inputId, along)));
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
        for (const step of command.steps) this.#ask(step, this.#view);
        break;
      case "final":
        this.#finish(null);
        break;
      case "canceled":
        this.#progress?.abandon(command.reason, this.#view);
        this.#finish(null);
        break;
      case "failed":
        this.#progress?.abandon(command.error.message, this.#view);
        this.#finish(command.error);
        break;
      case "continue_llm":
      case "wait":
        break;
    }
    this.#flush();
  }

  #call(command: Command, source: "planned" | "stored"): void {
    const { run } = this.state;
    if (command.type !== "call_llm" || !run) return this.#obey(command);
    this.#progress?.begin(command.callId, run.setup);
    this.#calls.begin(command, run.setup.channelId, source);
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

  /** Nobody waits any more for what the model or Ownkey itself was doing. */
  #stopWork(): void {
    this.#local.stop();
    this.#calls.stop();
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
