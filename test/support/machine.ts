/**
 * The user's machine as Cursor's client plays it: files, a shell and a server's tools, asked by execs.
 *
 * Like the real client it remembers, per kind, the last ten questions by exec_id and arguments: one that comes again
 * after a drop is joined or answered from memory and not carried out twice (seen, PROTOCOL.md section 10). Two things
 * are as unlucky as there: a command that ends after it was joined is reported as stopped by the user, although it ran
 * to its end; and a server's tool is never remembered.
 */
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type ExecClientMessageSchema,
  type ExecServerMessage,
  ExecServerMessageSchema,
} from "../../src-main/gen/agent/v1/exec_pb.ts";
import type { DeleteArgs, ReadArgs, WriteArgs } from "../../src-main/gen/agent/v1/files_pb.ts";
import type { McpArgs } from "../../src-main/gen/agent/v1/mcp_pb.ts";
import { ShellAbortReason } from "../../src-main/gen/agent/v1/shell_pb.ts";

export type ExecAnswer = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>;

export interface Command {
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
  readonly code?: number;
  /** The command ends when this does. */
  readonly until?: Promise<unknown>;
}

const remembered = 10;

export class Machine {
  readonly workspace = "/home/me/project";
  readonly files = new Map<string, string>([[`${this.workspace}/hello.txt`, "hello one\nhello two\n"]]);
  /** What a command does; by default it prints itself. */
  shell: (command: string) => Command = (command) => ({ stdout: [`${command}\n`] });
  /** How long the answer takes once something was done. */
  pause: (exec: ExecServerMessage) => Promise<unknown> = async () => {};
  /** What was really carried out, in order. */
  readonly carriedOut: string[] = [];
  /** Commands whose end was reported wrongly, since they were joined: their exec_ids. */
  readonly misreported = new Set<string>();
  readonly #memory = new Map<string, Map<string, Execution>>();

  /** The answers to a question, one after the other; the last one ends it. */
  async *carryOut(exec: ExecServerMessage): AsyncGenerator<ExecAnswer, void, undefined> {
    if (exec.message.case === "mcpArgs") return yield* this.#do(exec);
    const known = this.#known(exec);
    const isJoined = known?.isOver === false;
    for await (const answer of (known ?? this.#begin(exec)).follow())
      yield isJoined ? this.#misreport(exec, answer) : answer;
  }

  #kind({ message }: ExecServerMessage): Map<string, Execution> {
    const name = message.case ?? "";
    const kind = this.#memory.get(name) ?? new Map<string, Execution>();
    this.#memory.set(name, kind);
    return kind;
  }

  #known(exec: ExecServerMessage): Execution | undefined {
    return this.#kind(exec).get(nameOf(exec));
  }

  #begin(exec: ExecServerMessage): Execution {
    const kind = this.#kind(exec);
    const begun = new Execution(this.#do(exec));
    kind.set(nameOf(exec), begun);
    for (const oldest of kind.keys()) if (kind.size > remembered) kind.delete(oldest);
    return begun;
  }

  #misreport({ execId }: ExecServerMessage, answer: ExecAnswer): ExecAnswer {
    if (answer.case !== "shellStream" || answer.value.event?.case !== "exit") return answer;
    this.misreported.add(execId);
    const aborted = { code: 0xffffffff, aborted: true, abortReason: ShellAbortReason.USER_ABORT };
    const event = { case: "exit", value: { ...answer.value.event.value, ...aborted } } as const;
    return { case: "shellStream", value: { event } };
  }

  async *#do(exec: ExecServerMessage): AsyncGenerator<ExecAnswer, void, undefined> {
    const { message } = exec;
    switch (message.case) {
      case "requestContextArgs":
        yield this.#context();
        return;
      case "shellStreamArgs":
        this.carriedOut.push(`shell ${message.value.command}`);
        return yield* this.#run(message.value.command);
      default: {
        const answer = this.#answer(message);
        await this.pause(exec);
        yield answer;
      }
    }
  }

  #answer(message: ExecServerMessage["message"]): ExecAnswer {
    switch (message.case) {
      case "readArgs":
        this.carriedOut.push(`read ${message.value.path}`);
        return this.#read(message.value);
      case "writeArgs":
        this.carriedOut.push(`write ${message.value.path}`);
        return this.#write(message.value);
      case "deleteArgs":
        this.carriedOut.push(`delete ${message.value.path}`);
        return this.#delete(message.value);
      case "mcpArgs":
        return this.#call(message.value);
      default:
        throw new Error(`the machine was asked ${message.case}`);
    }
  }

  #context(): ExecAnswer {
    const env = {
      osVersion: "linux 6.1",
      workspacePaths: [this.workspace],
      shell: "bash",
      timeZone: "Europe/Berlin",
    };
    return {
      case: "requestContextResult",
      value: { result: { case: "success", value: { requestContext: { env } } } },
    };
  }

  #read({ path }: ReadArgs): ExecAnswer {
    const content = this.files.get(path);
    if (content === undefined)
      return { case: "readResult", value: { result: { case: "fileNotFound", value: { path } } } };
    const totalLines = content.split("\n").length;
    const output = { case: "content", value: content } as const;
    return {
      case: "readResult",
      value: { result: { case: "success", value: { path, output, totalLines } } },
    };
  }

  #write({ path, fileText }: WriteArgs): ExecAnswer {
    this.files.set(path, fileText);
    return {
      case: "writeResult",
      value: { result: { case: "success", value: { path, fileSize: fileText.length } } },
    };
  }

  #delete({ path }: DeleteArgs): ExecAnswer {
    const before = this.files.get(path);
    this.files.delete(path);
    const result =
      before === undefined
        ? ({ case: "fileNotFound", value: { path } } as const)
        : ({ case: "success", value: { path, deletedFile: path, fileSize: BigInt(before.length) } } as const);
    return { case: "deleteResult", value: { result } };
  }

  #call({ toolName, args }: McpArgs): ExecAnswer {
    const given = Object.values(args).map(({ kind }) => String(kind.value));
    this.carriedOut.push(["call", toolName, ...given].join(" "));
    const text = { text: `${toolName} is done` };
    const value = { content: [{ content: { case: "text", value: text } as const }] };
    return { case: "mcpResult", value: { result: { case: "success", value } } };
  }

  async *#run(command: string): AsyncGenerator<ExecAnswer, void, undefined> {
    const { stdout = [], stderr = [], code = 0, until } = this.shell(command);
    yield { case: "shellStream", value: { event: { case: "start", value: {} } } };
    for (const data of stdout)
      yield { case: "shellStream", value: { event: { case: "stdout", value: { data: Buffer.from(data) } } } };
    for (const data of stderr)
      yield { case: "shellStream", value: { event: { case: "stderr", value: { data: Buffer.from(data) } } } };
    await until;
    yield { case: "shellStream", value: { event: { case: "exit", value: { code, cwd: this.workspace } } } };
  }
}

/** Goes on whoever listens; whoever listens later hears all of it again. */
class Execution {
  readonly #given: ExecAnswer[] = [];
  #more = Promise.withResolvers<void>();
  isOver = false;

  constructor(answers: AsyncIterable<ExecAnswer>) {
    void this.#carryOut(answers);
  }

  async *follow(): AsyncGenerator<ExecAnswer, void, undefined> {
    for (let at = 0; ; at++) {
      while (at >= this.#given.length && !this.isOver) await this.#more.promise;
      const answer = this.#given[at];
      if (!answer) return;
      yield answer;
    }
  }

  async #carryOut(answers: AsyncIterable<ExecAnswer>): Promise<void> {
    for await (const answer of answers) {
      this.#given.push(answer);
      this.#wake();
    }
    this.isOver = true;
    this.#wake();
  }

  #wake(): void {
    this.#more.resolve();
    this.#more = Promise.withResolvers();
  }
}

/** What an answer is remembered by. */
function nameOf(exec: ExecServerMessage): string {
  const { execId, message } = exec;
  const args = toBinary(ExecServerMessageSchema, create(ExecServerMessageSchema, { message }));
  return `${execId} ${Buffer.from(args).toString("hex")}`;
}
