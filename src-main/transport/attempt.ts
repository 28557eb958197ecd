/**
 * One attempt: a connection on which the client runs or resumes one run.
 *
 *   run_request -> known run? resume : ask for the context, then start
 *   replies, cancel, steering -> the runner          updates, questions -> the client (as the runner's View)
 *   the tail: abort what is open, turn_ended, last checkpoint, its mark, end of stream
 *
 * Longer than 300 lines because what a connection hears, shows and says last is one state.
 */
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type {
  AgentClientMessage,
  AgentRunRequest,
  AgentServerMessage,
  ConversationAction,
} from "../gen/agent/v1/agent_pb.ts";
import type { ClientStep, Reply } from "../loop/types.ts";
import { Blobs } from "./blobs.ts";
import { clientContext } from "./client-context.ts";
import { beginningOf } from "./dialect/actions.ts";
import { modelOf, toolFilterOf, toUserMessage } from "./dialect/decode.ts";
import { shellDelta, turnEnded } from "./dialect/encode.ts";
import { execIdOf } from "./dialect/ids.ts";
import { Execs } from "./execs.ts";
import { lookOn, unknownIn } from "./look-on.ts";
import { notOffered } from "./not-offered.ts";
import { Queries } from "./queries.ts";
import { broughtCommit } from "./run/origin.ts";
import type { Runner } from "./run/runner.ts";
import type { Runners } from "./run/runners.ts";
import { type Asked, messageHashOf, type New, type StartOptions, toResumed, toStart } from "./run/start.ts";
import type { Ending, View } from "./run/view.ts";
import type { Watch } from "./run/watch.ts";
import type { Handler, Inbound, Session, Stream } from "./sessions.ts";
import type { Problem } from "./wire/errors.ts";
import { Outbox } from "./wire/outbox.ts";

export interface AttemptOptions extends StartOptions {
  readonly runners: Runners;
  readonly log: Log;
  readonly watch?: Watch;
  /** The attempt is over. */
  ended(session: Session): void;
}

const limitsMs = { abort: 2_000, lastMark: 1_000 };

export class Attempt implements Handler, View {
  readonly #options: AttemptOptions;
  readonly #session: Session;
  readonly #stream: Stream;
  readonly #outbox: Outbox;
  readonly #look: ReturnType<typeof lookOn>;
  readonly #execs: Execs;
  readonly #queries: Queries;
  readonly #blobs: Blobs;
  #runner: Runner | null = null;
  #lastId = 0;
  #hasBegun = false;
  #isPrewarmed = false;
  /** Messages with a kind or fields of a newer client. They are passed over. */
  #unknown = 0;
  #isOver = false;

  constructor(options: AttemptOptions, session: Session, stream: Stream) {
    this.#options = options;
    this.#session = session;
    this.#stream = stream;
    const { watch, clock } = options;
    this.#look = lookOn(watch, session.requestId, () => this.#runner?.state.conversationId);
    this.#outbox = new Outbox(stream.response, clock, this.#look.sent);
    const nextId = () => this.#nextId();
    const send = (message: AgentServerMessage) => this.#outbox.send(message);
    this.#execs = new Execs(options.clock, nextId, send);
    this.#queries = new Queries(nextId, send);
    this.#blobs = new Blobs(options.clock, nextId, send);
  }

  // ---- the client's side -------------------------------------------------------------------------------

  receive(inbound: Inbound): void {
    if (this.#isOver) return;
    try {
      if (inbound.type === "message") {
        this.#unknown += unknownIn(inbound.message);
        this.#look.heard(inbound.message);
        this.#hear(inbound.message);
      } else if (!this.#hasBegun)
        throw new OwnkeyError(
          "limit",
          "The message is too large to be taken. Attach fewer or smaller images.",
        );
      else if (inbound.execId !== null) this.#execs.oversized(inbound.execId);
    } catch (reason) {
      this.fail(reason);
    }
  }

  closed(): void {
    this.#over();
  }

  fail(reason: unknown): void {
    const error = OwnkeyError.from(reason);
    if (error.kind === "bug") this.#options.log.error("an attempt failed", { reason: error.message });
    this.end(error);
  }

  #hear({ message }: AgentClientMessage): void {
    if (!this.#hasBegun) {
      // Nothing is prepared: the run request that follows says all of it again.
      this.#isPrewarmed ||= message.case === "prewarmRequest";
      if (this.#isPrewarmed && message.case !== "runRequest") return;
      if (message.case !== "runRequest")
        throw new OwnkeyError("protocol", "The first message of a run must be its run request.");
      this.#hasBegun = true;
      this.#begin(message.value).catch((reason) => this.fail(reason));
      return;
    }
    switch (message.case) {
      case "execClientMessage":
        return this.#execs.answer(message.value);
      case "execClientControlMessage":
        return this.#execs.control(message.value);
      case "kvClientMessage":
        this.#runner?.acknowledged(message.value.id);
        this.#blobs.answer(message.value);
        return;
      case "interactionResponse":
        return this.#queries.answer(message.value);
      case "conversationAction":
        return this.#act(message.value);
      default:
        return;
    }
  }

  #act({ action }: ConversationAction): void {
    switch (action.case) {
      case "cancelAction":
        if (this.#runner) this.#runner.cancel(action.value.reason || "stopped");
        else this.end({ kind: "canceled", message: "Stopped before the turn began." });
        return;
      case "injectContextAction": {
        const { injectionId, payload } = action.value;
        const message = payload.case === "userContext" ? payload.value.userMessage : undefined;
        if (message) this.#runner?.inject(injectionId, toUserMessage(message));
        return;
      }
      default:
        this.#options.log.warn("an action was passed over", { action: action.case ?? "unknown" });
    }
  }

  // ---- beginning ---------------------------------------------------------------------------------------

  async #begin(request: AgentRunRequest): Promise<void> {
    const { principal, requestId } = this.#session;
    const { store } = this.#options;
    const asked: Asked = {
      principal,
      requestId,
      request,
      runId: request.runId || requestId,
      filter: toolFilterOf(this.#stream.header),
    };
    const runner = this.#runnerOf(asked);
    const known = store.runs.find(runner.state.conversationId, asked.runId);
    const beginning = beginningOf(request.action);
    switch (beginning.type) {
      case "message":
      case "summarize":
        if (!known) return this.#start(asked, beginning);
        if (Buffer.compare(known.inputHash, messageHashOf(beginning)) !== 0)
          throw new OwnkeyError("conflict", "This run id came before with another message.");
        return this.#resume(runner, asked);
      case "resume":
        if (!known)
          throw new OwnkeyError("conflict", "Ownkey does not know this turn. Send the message once more.");
        return this.#resume(runner, asked);
      case "unknown":
        throw new OwnkeyError("protocol", beginning.problem);
    }
  }

  #runnerOf({ principal, requestId, request }: Asked): Runner {
    return this.#options.runners.get({ principal, clientId: request.conversationId || requestId });
  }

  async #start(asked: Asked, beginning: New): Promise<void> {
    const model = modelOf(asked.request);
    const channel = this.#options.channels().find(({ id }) => id === model);
    if (!channel) throw notOffered(model, this.#options.store.channels.nameOf(model));
    const { action, preFetchedBlobs } = asked.request;
    const inline = beginning.type === "message" ? beginning.context : undefined;
    const context = await clientContext(action, inline, {
      clock: this.#options.clock,
      execs: this.#execs,
      blobs: this.#blobs,
      preFetched: preFetchedBlobs,
      execId: `${asked.requestId}/context`,
      flush: () => this.#outbox.flush(),
    });
    if (this.#isOver) return;
    const runner = this.#runnerOf(asked); // now, not before: it may have been parked meanwhile
    if (runner.state.run?.runId === asked.runId) return this.#resume(runner, asked); // another attempt was faster
    runner.interrupt();
    const { input, progress } = toStart(this.#options, asked, beginning, channel, context, runner.state);
    this.#runner = runner;
    runner.start(input, messageHashOf(beginning), progress, this);
  }

  #resume(runner: Runner, asked: Asked): void {
    const { state } = runner;
    if (state.run?.runId !== asked.runId)
      throw new OwnkeyError("conflict", "A newer message followed this turn; it cannot be taken up again.");
    const channel = this.#options.channels().find(({ id }) => id === state.run?.setup.channelId) ?? null;
    this.#runner = runner;
    const brought = broughtCommit(this.#options.store, asked, state, this.#options.clock.now());
    const progress = runner.isShowing ? null : toResumed(this.#options, asked, channel, state);
    runner.resume(this, progress, brought);
  }

  // ---- the runner's side (View) ------------------------------------------------------------------------

  send(envelope: Buffer): void {
    this.#outbox.sendEncoded(envelope);
  }

  sendMessage(message: AgentServerMessage): void {
    if (message.message.case === "kvServerMessage") message.message.value.id = this.#nextId();
    this.#outbox.send(message);
  }

  mark(): number {
    return this.#blobs.mark();
  }

  flush(): void {
    this.#outbox.flush();
  }

  drained(): Promise<void> {
    return this.#outbox.drained();
  }

  ask({ operationId, step, request }: ClientStep, again: boolean): void {
    const runner = this.#runner;
    if (!runner || request.type === "local") return;
    const answered = (reply: Reply) => runner.reply(operationId, step, reply);
    if (request.type === "query") return this.#queries.ask(request.request, answered);
    this.#execs.ask({
      execId: execIdOf(operationId, step),
      request: request.request,
      again,
      answered,
      output: (stream, text) => runner.show(shellDelta(operationId, stream, text)),
    });
  }

  finish(ending: Ending): void {
    this.#tail(ending).catch((reason) => this.fail(reason));
  }

  end(problem: Problem | null): void {
    if (this.#isOver) return;
    if (problem) this.#outbox.end(problem);
    else {
      this.#outbox.close();
      this.#stream.response.destroy();
    }
    this.#over();
  }

  async #tail({ problem, usage, close }: Ending): Promise<void> {
    const aborted = this.#execs.abort(limitsMs.abort);
    this.#outbox.flush();
    await aborted;
    if (!problem) this.#outbox.send(turnEnded(usage));
    close(this);
    this.#outbox.flush();
    await this.#blobs.proven(this.#lastId, limitsMs.lastMark);
    this.#outbox.end(problem);
    this.#over();
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#unknown > 0)
      this.#options.log.debug("the client said what is not known here", { messages: this.#unknown });
    this.#outbox.close();
    this.#execs.forget();
    this.#blobs.forget();
    this.#runner?.detach(this);
    this.#options.ended(this.#session);
  }

  #nextId(): number {
    return ++this.#lastId;
  }
}
