/**
 * A shell's stream of events, folded into the one result that the card and the tool want.
 *
 *   start, stdout*, stderr*, then exit | rejected | permission_denied | backgrounded | sandbox_unsupported
 */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  type ShellArgs,
  type ShellResult,
  ShellResultSchema,
  type ShellStream,
  type ShellStreamExit,
} from "../../gen/agent/v1/exec_pb.ts";

/** UTF-16 units kept of one command; the client itself stops near 1 MB. */
const longest = 4 * 1024 * 1024;

export class ShellOutput {
  #stdout = "";
  #stderr = "";
  #both = "";
  #result: ShellResult | null = null;
  readonly #args: Pick<ShellArgs, "command" | "workingDirectory">;

  constructor(args: Pick<ShellArgs, "command" | "workingDirectory">) {
    this.#args = args;
  }

  /** Non-null once the command has ended. */
  get result(): ShellResult | null {
    return this.#result;
  }

  push({ event }: ShellStream): void {
    switch (event.case) {
      case "stdout":
        this.#stdout = grow(this.#stdout, event.value.data);
        this.#both = grow(this.#both, event.value.data);
        return;
      case "stderr":
        this.#stderr = grow(this.#stderr, event.value.data);
        this.#both = grow(this.#both, event.value.data);
        return;
      case "exit":
        this.#end(this.#exit(event.value));
        return;
      case "rejected":
      case "permissionDenied":
        this.#end({ result: event });
        return;
      case "sandboxUnsupported":
        this.#end(this.#spawnError(`The sandbox is not supported here: ${event.value.reason}`));
        return;
      case "backgrounded":
        this.#end(this.#spawnError("The command went on in the background."));
        return;
      case "start":
      case undefined:
        return;
    }
  }

  #end(result: MessageInitShape<typeof ShellResultSchema>): void {
    this.#result ??= create(ShellResultSchema, result);
  }

  #exit(exit: ShellStreamExit): MessageInitShape<typeof ShellResultSchema> {
    const common = {
      command: this.#args.command,
      workingDirectory: exit.cwd || this.#args.workingDirectory,
      exitCode: exit.code | 0,
      stdout: this.#stdout,
      stderr: this.#stderr,
      interleavedOutput: this.#both,
      executionTime: exit.localExecutionTimeMs ?? 0,
    };
    if (exit.code === 0 && !exit.aborted) return { result: { case: "success", value: common } };
    const reason = exit.abortReason === undefined ? {} : { abortReason: exit.abortReason };
    return { result: { case: "failure", value: { ...common, aborted: exit.aborted, ...reason } } };
  }

  #spawnError(error: string): MessageInitShape<typeof ShellResultSchema> {
    return { result: { case: "spawnError", value: { ...this.#args, error } } };
  }
}

const grow = (text: string, more: string): string => (text.length > longest ? text : text + more);
