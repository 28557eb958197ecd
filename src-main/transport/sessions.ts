/**
 * Attempts by request_id: RunSSE and append 0 race, so whichever comes first makes the session, and the attempt
 * begins when both are there. What never becomes whole is ended after 30 s.
 *
 * A request_id belongs to the principal that brought it first; for another one it does not exist.
 */
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { AgentClientMessage } from "../gen/agent/v1/agent_pb.ts";
import { type HttpResponse, isClosed } from "./wire/http.ts";
import { Inbox } from "./wire/inbox.ts";

/** What arrives in an attempt: a message, or one that was too large to be taken (with its exec's number, if read). */
export type Inbound =
  | { readonly type: "message"; readonly message: AgentClientMessage }
  | { readonly type: "oversized"; readonly execId: number | null };

export interface Handler {
  receive(inbound: Inbound): void;
  /** The client closed the stream. */
  closed(): void;
  fail(reason: unknown): void;
}

export interface Stream {
  readonly response: HttpResponse;
  header(name: string): string | undefined;
}

/** Half an attempt is waited for this long; an ended one is remembered as long for appends that come late. */
const waitMs = 30_000;
/** Of what came before the stream it belongs to. */
const earlyBytes = 64 * 1024 * 1024;
const maxEarly = 256;
/** Half attempts and ended ones of one principal. */
const maxWaiting = 256;
/** Of one principal, before their first message. */
const maxWaitingStreams = 16;
const maxRunning = 64;
/** Of messages that wait for their turn, in all attempts together. */
const maxHeldBytes = 256 * 1024 * 1024;

type Begin = (session: Session, stream: Stream) => Handler;

/** What an attempt has to ask of all the others. The checks throw `limit`. */
interface Others {
  readonly begin: Begin;
  /** Before these bytes have to wait. */
  checkRoom(bytes: number): void;
  /** After one more stream of this principal waits. */
  checkStreams(principal: string): void;
}

export class Session {
  readonly principal: string;
  readonly requestId: string;
  readonly #inbox: Inbox<Inbound>;
  #early: Inbound[] = [];
  #earlyBytes = 0;
  #earlyCount = 0;
  #stream: Stream | null = null;
  #handler: Handler | null = null;
  #isOver = false;
  readonly #others: Others;

  constructor(principal: string, requestId: string, others: Others) {
    this.principal = principal;
    this.requestId = requestId;
    this.#others = others;
    this.#inbox = new Inbox((inbound) => {
      if (this.#handler) this.#handler.receive(inbound);
      else this.#early.push(inbound);
      this.#start();
    });
  }

  get isRunning(): boolean {
    return this.#handler !== null && !this.#isOver;
  }

  /** The stream of an attempt that its first message has not reached yet. */
  get waitingStream(): Stream | null {
    return this.#handler || this.#isOver ? null : this.#stream;
  }

  /** Of messages that came before they could be received. */
  get heldBytes(): number {
    return this.#isOver ? 0 : this.#earlyBytes + this.#inbox.waitingBytes;
  }

  /** Throws `conflict` when the attempt has its stream already. */
  connect(stream: Stream): void {
    if (this.#stream) throw new OwnkeyError("conflict", "This request id has a stream already.");
    this.#stream = stream;
    if (isClosed(stream.response)) this.end();
    stream.response.once("close", () => (this.#handler ? this.#handler.closed() : this.end()));
    this.#start();
    if (!this.waitingStream) return;
    try {
      this.#others.checkStreams(this.principal);
    } catch (reason) {
      this.fail(reason);
    }
  }

  append(seqno: number, inbound: Inbound, bytes: number): void {
    if (this.#isOver) return;
    try {
      if (!this.#handler || !this.#inbox.isDue(seqno)) this.#others.checkRoom(bytes);
      if (!this.#handler) this.#countEarly(bytes);
      this.#inbox.push(seqno, inbound, bytes);
    } catch (reason) {
      this.fail(reason);
      throw reason;
    }
  }

  /** The client's half went wrong: the stream ends with `reason`. */
  fail(reason: unknown): void {
    if (this.#isOver) return;
    if (this.#stream) this.#handler ??= this.#others.begin(this, this.#stream);
    this.#handler?.fail(reason);
    this.end();
  }

  /** The program stops. */
  stop(): void {
    this.end();
    this.#handler?.closed();
    this.#stream?.response.destroy();
  }

  /** Nothing more is taken in; late appends are swallowed. */
  end(): void {
    this.#isOver = true;
    this.#early = [];
  }

  #countEarly(bytes: number): void {
    this.#earlyBytes += bytes;
    this.#earlyCount++;
    if (this.#earlyBytes > earlyBytes || this.#earlyCount > maxEarly)
      throw new OwnkeyError("limit", "Too much arrived before the stream of this run.");
  }

  #start(): void {
    if (this.#handler || this.#isOver || !this.#stream || this.#early.length === 0) return;
    this.#handler = this.#others.begin(this, this.#stream);
    const early = this.#early;
    this.#early = [];
    this.#earlyBytes = 0;
    for (const inbound of early) this.#handler.receive(inbound);
  }
}

export class Sessions {
  readonly #clock: Clock;
  readonly #others: Others;
  readonly #expired: (stream: Stream) => void;
  readonly #byId = new Map<string, Session>();
  readonly #callOff = new WeakMap<Session, () => void>();

  /** `expired` ends a stream whose first message never came. */
  constructor(clock: Clock, begin: Begin, expired: (stream: Stream) => void) {
    this.#clock = clock;
    this.#others = {
      begin: (session, stream) => this.#begun(begin, session, stream),
      checkRoom: (bytes) => this.#checkRoom(bytes),
      checkStreams: (principal) => this.#checkStreams(principal),
    };
    this.#expired = expired;
  }

  /** Throws `protocol` for a request id that belongs to somebody else, `limit` for a flood of ids. */
  open(principal: string, requestId: string): Session {
    const known = this.#byId.get(requestId);
    if (known && known.principal !== principal)
      throw new OwnkeyError("protocol", "There is no run with this request id.", {
        details: { code: "not_found" },
      });
    if (known) return known;
    const waiting = [...this.#byId.values()].filter(
      (each) => !each.isRunning && each.principal === principal,
    );
    if (waiting.length >= maxWaiting)
      throw new OwnkeyError("limit", "Too many runs are waiting to begin. Try again in half a minute.");
    const session = new Session(principal, requestId, this.#others);
    this.#byId.set(requestId, session);
    this.#forgetLater(session);
    return session;
  }

  /** The attempt is over. */
  end(session: Session): void {
    session.end();
    this.#forgetLater(session);
  }

  /** Ends every attempt, begun or not. */
  stop(): void {
    for (const session of this.#byId.values()) session.stop();
  }

  #begun(begin: Begin, session: Session, stream: Stream): Handler {
    const running = [...this.#byId.values()].filter((each) => each.isRunning);
    const handler = begin(session, stream);
    if (running.length < maxRunning) return handler;
    handler.fail(
      new OwnkeyError("limit", `${maxRunning} agents are at work already. Wait for one, or stop one.`),
    );
    session.end();
    return handler;
  }

  #checkRoom(bytes: number): void {
    const held = [...this.#byId.values()].reduce((sum, each) => sum + each.heldBytes, bytes);
    if (held > maxHeldBytes)
      throw new OwnkeyError(
        "limit",
        "Too much waits to be read, in all runs together. Try again in a moment.",
      );
  }

  #checkStreams(principal: string): void {
    const waiting = [...this.#byId.values()].filter(
      (each) => each.principal === principal && each.waitingStream,
    );
    if (waiting.length > maxWaitingStreams)
      throw new OwnkeyError("limit", "Too many streams wait for their first message.");
  }

  #forgetLater(session: Session): void {
    this.#callOff.get(session)?.();
    const callOff = this.#clock.after(waitMs, () => {
      if (session.isRunning || this.#byId.get(session.requestId) !== session) return;
      this.#byId.delete(session.requestId);
      if (session.waitingStream) this.#expired(session.waitingStream);
      session.end();
    });
    this.#callOff.set(session, callOff);
  }
}
