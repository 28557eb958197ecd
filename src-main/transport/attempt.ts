/**
 * One attempt: a connection on which the client runs or resumes one run.
 *
 *   run_request -> known run? resume : ask for the context, then start
 *   replies, cancel, steering -> the runner          updates, questions -> the client (as the runner's View)
 *   the tail: abort what is open, turn_ended, last checkpoint, its mark, end of stream
 */
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type {
  AgentClientMessage,
  AgentRunRequest,
  AgentServerMessage,
  ConversationAction,
  UserMessage,
} from "../gen/agent/v1/agent_pb.ts";
import type { RequestContext } from "../gen/agent/v1/context_pb.ts";
import type { Channel } from "../llm/types.ts";
import type { ClientStep } from "../loop/types.ts";
import { contextQuestion, readContext } from "./dialect/context.ts";
import { modelOf, toolFilterOf, toUserMessage } from "./dialect/decode.ts";
import { mark, shellDelta, turnEnded } from "./dialect/encode.ts";
import { execIdOf } from "./dialect/ids.ts";
import { Execs } from "./execs.ts";
import type { Runner } from "./run/runner.ts";
import type { Runners } from "./run/runners.ts";
import { type Asked, messageHashOf, type StartOptions, toResumed, toStart } from "./run/start.ts";
import type { Ending, View } from "./run/view.ts";
import type { Handler, Inbound, Session, Stream } from "./sessions.ts";
import type { Problem } from "./wire/errors.ts";
import { Outbox } from "./wire/outbox.ts";

export interface AttemptOptions extends StartOptions {
  readonly runners: Runners;
  readonly log: Log;
  /** Enabled channels: what a run may ask for. */
  channels(): readonly Channel[];
  /** The attempt is over. */
  ended(session: Session): void;
}

const limitsMs = { context: 10_000, abort: 2_000, lastMark: 1_000 };

export class Attempt implements Handler, View {
  readonly #options: AttemptOptions;
  readonly #session: Session;
  readonly #stream: Stream;
  readonly #outbox: Outbox;
  readonly #execs: Execs;
  readonly #marks = new Map<number, () => void>();
  #runner: Runner | null = null;
  #lastId = 0;
  #hasBegun = false;
  #isOver = false;

  constructor(options: AttemptOptions, session: Session, stream: Stream) {
    this.#options = options;
    this.#session = session;
    this.#stream = stream;
    this.#outbox = new Outbox(stream.response, options.clock);
    this.#execs = new Execs(
      options.clock,
      () => this.#nextId(),
      (message) => this.#outbox.send(message),
    );
  }

  // ---- the client's side -------------------------------------------------------------------------------

  receive(inbound: Inbound): void {
    if (this.#isOver) return;
    try {
      if (inbound.type === "oversized") this.#execs.oversized(inbound.execId);
      else this.#hear(inbound.message);
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
        this.#marks.get(message.value.id)?.();
        return;
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
    const { runners, store } = this.#options;
    const asked: Asked = {
      principal,
      requestId,
      request,
      runId: request.runId || requestId,
      filter: toolFilterOf(this.#stream.header),
    };
    const runner = runners.get({ principal, clientId: request.conversationId || requestId });
    const known = store.runs.find(runner.state.conversationId, asked.runId);
    const action = request.action?.action;
    switch (action?.case) {
      case "userMessageAction": {
        const { userMessage, requestContext } = action.value;
        if (!userMessage) throw new OwnkeyError("protocol", "The run brings no user message.");
        if (!known) return this.#start(runner, asked, userMessage, requestContext ?? null);
        if (Buffer.compare(known.inputHash, messageHashOf(userMessage)) !== 0)
          throw new OwnkeyError("conflict", "This run id came before with another message.");
        return this.#resume(runner, asked);
      }
      case "resumeAction":
        if (!known)
          throw new OwnkeyError("conflict", "Ownkey does not know this turn. Send the message once more.");
        return this.#resume(runner, asked);
      default:
        throw new OwnkeyError("protocol", `A run cannot begin with ${action?.case ?? "no action"} here.`);
    }
  }

  async #start(
    runner: Runner,
    asked: Asked,
    message: UserMessage,
    inline: RequestContext | null,
  ): Promise<void> {
    const model = modelOf(asked.request);
    const channel = this.#options.channels().find(({ id }) => id === model);
    if (!channel)
      throw new OwnkeyError(
        "config",
        `No enabled channel has the id ${JSON.stringify(model)}. Pick another model.`,
      );
    const context = inline ?? (await this.#askContext());
    if (this.#isOver) return;
    if (runner.state.run?.runId === asked.runId) return this.#resume(runner, asked); // another attempt was faster
    const { input, progress } = toStart(this.#options, asked, message, channel, context, runner.state);
    this.#runner = runner;
    runner.start(input, messageHashOf(message), progress, this);
  }

  #resume(runner: Runner, asked: Asked): void {
    const { state } = runner;
    if (state.run?.runId !== asked.runId)
      throw new OwnkeyError("conflict", "A newer message followed this turn; it cannot be taken up again.");
    const channel = this.#options.channels().find(({ id }) => id === state.run?.setup.channelId) ?? null;
    this.#runner = runner;
    runner.resume(this, runner.isShowing ? null : toResumed(this.#options, asked, channel, state));
  }

  /** null: the client gave none in time, and the run begins without. */
  #askContext(): Promise<RequestContext | null> {
    return new Promise((resolve) => {
      const callOff = this.#options.clock.after(limitsMs.context, () => resolve(null));
      this.#execs.ask({
        execId: `${this.#session.requestId}/context`,
        request: contextQuestion,
        answered: (reply) => {
          callOff();
          resolve(readContext(reply));
        },
      });
      this.#outbox.flush();
    });
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
    const id = this.#nextId();
    this.#outbox.send(mark(id));
    return id;
  }

  flush(): void {
    this.#outbox.flush();
  }

  drained(): Promise<void> {
    return this.#outbox.drained();
  }

  ask({ operationId, step, request }: ClientStep): void {
    const runner = this.#runner;
    if (!runner) return;
    if (request.type !== "exec") {
      const reason = `This version cannot ask a ${request.type}.`;
      runner.reply(operationId, step, { type: "failure", reason });
      return;
    }
    this.#execs.ask({
      execId: execIdOf(operationId, step),
      request: request.request,
      answered: (reply) => runner.reply(operationId, step, reply),
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
    await this.#answered(this.#lastId);
    this.#outbox.end(problem);
    this.#over();
  }

  #answered(kvId: number): Promise<void> {
    return new Promise((resolve) => {
      const callOff = this.#options.clock.after(limitsMs.lastMark, resolve);
      this.#marks.set(kvId, () => {
        callOff();
        resolve();
      });
    });
  }

  #over(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#outbox.close();
    this.#execs.forget();
    for (const answered of this.#marks.values()) answered();
    this.#runner?.detach(this);
    this.#options.ended(this.#session);
  }

  #nextId(): number {
    return ++this.#lastId;
  }
}
