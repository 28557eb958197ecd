/**
 * What is open at the client in one attempt: execs by their number, their live output, their limits.
 *
 * An exec has answered at its first result (a shell: when it ended), and is closed by stream_close or throw. The
 * stream must not end while one is open, or the client runs the whole turn again (PROTOCOL.md section 4).
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { Clock } from "../base/clock.ts";
import { type AgentServerMessage, AgentServerMessageSchema } from "../gen/agent/v1/agent_pb.ts";
import {
  type ExecClientControlMessage,
  type ExecClientMessage,
  ExecClientMessageSchema,
  type ExecServerMessage,
  ExecServerMessageSchema,
} from "../gen/agent/v1/exec_pb.ts";
import type { Reply } from "../loop/types.ts";
import { ShellOutput } from "./dialect/shell-output.ts";

type Kind = ExecServerMessage["message"]["case"];

/** How long an answer may take. What the user may have to allow first waits for them, and nothing tells us so. */
const limitsMs = { unasked: 60_000, allowed: 3_600_000, shellGrace: 30_000 };

/** The client carries these out without asking anybody. */
const unasked: readonly Kind[] = ["readArgs", "lsArgs", "grepArgs", "diagnosticsArgs", "requestContextArgs"];
/** Without a limit: a shell gets its own timeout from its start on, a subagent works as long as it takes. */
const unlimited: readonly Kind[] = ["shellStreamArgs", "subagentArgs"];

export interface Question {
  readonly execId: string;
  /** An ExecServerMessage without id and exec_id. */
  readonly request: Uint8Array;
  /** After a drop: the client may be at it, or know the answer. */
  readonly again?: boolean;
  readonly answered: (reply: Reply) => void;
  readonly output?: (stream: "stdout" | "stderr", text: string) => void;
}

interface Open {
  readonly id: number;
  readonly question: Question;
  readonly shell: { readonly output: ShellOutput; readonly timeoutMs: number } | null;
  hasAnswered: boolean;
  callOff: () => void;
}

export class Execs {
  readonly #clock: Clock;
  readonly #send: (message: AgentServerMessage) => void;
  readonly #nextId: () => number;
  readonly #open = new Map<number, Open>();
  #whenEmpty: (() => void) | null = null;

  constructor(clock: Clock, nextId: () => number, send: (message: AgentServerMessage) => void) {
    this.#clock = clock;
    this.#nextId = nextId;
    this.#send = send;
  }

  ask(question: Question): void {
    const id = this.#nextId();
    const message = fromBinary(ExecServerMessageSchema, question.request);
    message.id = id;
    message.execId = question.execId;
    const open: Open = {
      id,
      question,
      shell:
        message.message.case === "shellStreamArgs"
          ? {
              output: new ShellOutput(message.message.value, question.again === true),
              timeoutMs: message.message.value.timeout,
            }
          : null,
      hasAnswered: false,
      callOff: () => {},
    };
    this.#open.set(id, open);
    if (!unlimited.includes(message.message.case))
      this.#limit(open, unasked.includes(message.message.case) ? limitsMs.unasked : limitsMs.allowed);
    this.#send(create(AgentServerMessageSchema, { message: { case: "execServerMessage", value: message } }));
  }

  answer(message: ExecClientMessage): void {
    const open = this.#open.get(message.id);
    if (!open) return;
    if (message.message.case !== "shellStream") {
      this.#answered(open, { type: "answer", bytes: encode(message.message) });
      return;
    }
    if (!open.shell) return;
    const { event } = message.message.value;
    if (event.case === "start") this.#limit(open, open.shell.timeoutMs + limitsMs.shellGrace);
    const text = open.shell.output.push(message.message.value);
    if (text !== "" && (event.case === "stdout" || event.case === "stderr"))
      open.question.output?.(event.case, text);
    const { result } = open.shell.output;
    if (result)
      this.#answered(open, { type: "answer", bytes: encode({ case: "shellResult", value: result }) });
  }

  control({ message }: ExecClientControlMessage): void {
    switch (message.case) {
      case "streamClose":
        this.#close(message.value.id, "The client ended this without an answer.");
        return;
      case "throw":
        this.#close(message.value.id, `The client could not do this: ${message.value.error}`);
        return;
      case "heartbeat":
      case undefined:
        return;
    }
  }

  /** An answer that was too large to be taken. */
  oversized(id: number): void {
    const open = this.#open.get(id);
    if (open) this.#answered(open, failure("The result was too large to be taken. Ask for less at once."));
  }

  /** Asks the client to stop what is open and waits until it has, at most `ms`. */
  async abort(ms: number): Promise<void> {
    for (const open of this.#open.values()) {
      open.callOff();
      this.#sendAbort(open.id);
    }
    if (this.#open.size === 0) return;
    await new Promise<void>((resolve) => {
      const callOff = this.#clock.after(ms, resolve);
      this.#whenEmpty = () => {
        callOff();
        resolve();
      };
    });
  }

  /** The attempt is over: nothing will answer any more. */
  forget(): void {
    for (const open of this.#open.values()) open.callOff();
    this.#open.clear();
    this.#whenEmpty?.();
  }

  #limit(open: Open, ms: number): void {
    open.callOff();
    open.callOff = this.#clock.after(ms, () => {
      this.#sendAbort(open.id);
      this.#answered(open, failure(`The client gave no answer within ${Math.round(ms / 1000)} s.`));
    });
  }

  #answered(open: Open, reply: Reply): void {
    if (open.hasAnswered) return;
    open.hasAnswered = true;
    open.callOff();
    open.question.answered(reply);
  }

  #close(id: number, reason: string): void {
    const open = this.#open.get(id);
    if (!open) return;
    this.#open.delete(id);
    this.#answered(open, failure(reason));
    if (this.#open.size === 0) this.#whenEmpty?.();
  }

  #sendAbort(id: number): void {
    const value = { message: { case: "abort", value: { id } } } as const;
    this.#send(create(AgentServerMessageSchema, { message: { case: "execServerControlMessage", value } }));
  }
}

const failure = (reason: string): Reply => ({ type: "failure", reason });

const encode = (message: ExecClientMessage["message"]): Uint8Array =>
  toBinary(ExecClientMessageSchema, create(ExecClientMessageSchema, { message }));
