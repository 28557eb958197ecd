/**
 * The user's machine as Cursor's client plays it: files and a shell, asked by execs.
 *
 * Like the real client it remembers answers by exec_id and arguments, so a question that comes again after a drop is
 * joined or answered from memory and not carried out twice (PROTOCOL.md section 10).
 */
import { create, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import {
  type ExecClientMessageSchema,
  type ExecServerMessage,
  ExecServerMessageSchema,
} from "../../src-main/gen/agent/v1/exec_pb.ts";
import type { ReadArgs, WriteArgs } from "../../src-main/gen/agent/v1/files_pb.ts";

export type ExecAnswer = NonNullable<MessageInitShape<typeof ExecClientMessageSchema>["message"]>;

export interface Command {
  readonly stdout?: readonly string[];
  readonly stderr?: readonly string[];
  readonly code?: number;
  /** The command ends when this does. */
  readonly until?: Promise<unknown>;
}

export class Machine {
  readonly workspace = "/home/me/project";
  readonly files = new Map<string, string>([[`${this.workspace}/hello.txt`, "hello one\nhello two\n"]]);
  /** What a command does; by default it prints itself. */
  shell: (command: string) => Command = (command) => ({ stdout: [`${command}\n`] });
  /** What was really carried out, in order. */
  readonly carriedOut: string[] = [];
  readonly #memory = new Map<string, Execution>();

  /** The answers to a question, one after the other; the last one ends it. */
  async *carryOut(exec: ExecServerMessage): AsyncGenerator<ExecAnswer, void, undefined> {
    const name = nameOf(exec);
    const known = this.#memory.get(name) ?? new Execution(this.#do(exec));
    this.#memory.set(name, known);
    yield* known.follow();
  }

  async *#do({ message }: ExecServerMessage): AsyncGenerator<ExecAnswer, void, undefined> {
    switch (message.case) {
      case "requestContextArgs":
        yield this.#context();
        return;
      case "readArgs":
        this.carriedOut.push(`read ${message.value.path}`);
        yield this.#read(message.value);
        return;
      case "writeArgs":
        this.carriedOut.push(`write ${message.value.path}`);
        yield this.#write(message.value);
        return;
      case "shellStreamArgs":
        this.carriedOut.push(`shell ${message.value.command}`);
        yield* this.#run(message.value.command);
        return;
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
  #isOver = false;

  constructor(answers: AsyncIterable<ExecAnswer>) {
    void this.#carryOut(answers);
  }

  async *follow(): AsyncGenerator<ExecAnswer, void, undefined> {
    for (let at = 0; ; at++) {
      while (at >= this.#given.length && !this.#isOver) await this.#more.promise;
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
    this.#isOver = true;
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
