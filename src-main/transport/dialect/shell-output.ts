/**
 * A shell's stream of events, folded into the one result that the card and the tool want.
 *
 *   start, stdout*, stderr*, then exit | rejected | permission_denied | backgrounded | sandbox_unsupported
 *
 * Output is decoded here: a character that is cut between two events is joined again, and what is no UTF-8 becomes
 * U+FFFD. The client we know has done the latter already, byte by byte, so that nothing is left to be guessed.
 */
import { create, type MessageInitShape } from "@bufbuild/protobuf";
import {
  ShellAbortReason,
  type ShellArgs,
  type ShellResult,
  ShellResultSchema,
  type ShellStream,
  type ShellStreamBackgrounded,
  type ShellStreamExit,
} from "../../gen/agent/v1/shell_pb.ts";

/** UTF-16 units kept of one command; the client itself stops near 1 MB. */
const longest = 4 * 1024 * 1024;

type Channel = "stdout" | "stderr";

export class ShellOutput {
  readonly #text = { stdout: "", stderr: "" };
  readonly #decoders = { stdout: decoder(), stderr: decoder() };
  #both = "";
  #result: ShellResult | null = null;
  readonly #args: Pick<ShellArgs, "command" | "workingDirectory">;
  readonly #again: boolean;

  /** `again`: after a drop the same question was put once more, and the client joined the two. */
  constructor(args: Pick<ShellArgs, "command" | "workingDirectory">, again: boolean) {
    this.#args = args;
    this.#again = again;
  }

  /** Non-null once the command has ended, or goes on in the background. */
  get result(): ShellResult | null {
    return this.#result;
  }

  /** Returns the text to be shown live; "" for events without. */
  push({ event }: ShellStream): string {
    switch (event.case) {
      case "stdout":
      case "stderr":
        return this.#grow(event.case, this.#decoders[event.case].decode(event.value.data, { stream: true }));
      case "exit":
        this.#end(this.#exit(event.value));
        return "";
      case "rejected":
      case "permissionDenied":
        this.#end({ result: event });
        return "";
      case "sandboxUnsupported":
        this.#end(this.#spawnError(`The sandbox is not supported here: ${event.value.reason}`));
        return "";
      case "backgrounded":
        this.#end(this.#backgrounded(event.value));
        return "";
      case "start":
      case undefined:
        return "";
    }
  }

  #grow(channel: Channel, text: string): string {
    this.#text[channel] = grow(this.#text[channel], text);
    this.#both = grow(this.#both, text);
    return text;
  }

  #end(result: MessageInitShape<typeof ShellResultSchema>): void {
    this.#result ??= create(ShellResultSchema, result);
  }

  #exit(exit: ShellStreamExit): MessageInitShape<typeof ShellResultSchema> {
    const common = {
      ...this.#soFar(),
      workingDirectory: exit.cwd || this.#args.workingDirectory,
      exitCode: exit.code | 0,
      executionTime: exit.localExecutionTimeMs ?? 0,
    };
    if (exit.code === 0 && !exit.aborted) return { result: { case: "success", value: common } };
    // Seen: joined by a question asked again, a command that runs to its end is reported as stopped by the user
    // (PROTOCOL.md section 10). What we stop ourselves needs no result any more.
    if (this.#again && exit.aborted && exit.abortReason === ShellAbortReason.USER_ABORT)
      return { result: { case: "failure", value: { ...common, ...endUnknown } } };
    const reason = exit.abortReason === undefined ? {} : { abortReason: exit.abortReason };
    return { result: { case: "failure", value: { ...common, aborted: exit.aborted, ...reason } } };
  }

  #backgrounded(event: ShellStreamBackgrounded): MessageInitShape<typeof ShellResultSchema> {
    const { shellId, pid, msToWait, reason, workingDirectory } = event;
    const value = {
      ...this.#soFar(),
      workingDirectory: workingDirectory || this.#args.workingDirectory,
      shellId,
      ...(pid === undefined ? {} : { pid }),
      ...(msToWait === undefined ? {} : { msToWait }),
      ...(reason === undefined ? {} : { backgroundReason: reason }),
    };
    return { result: { case: "success", value }, isBackground: true };
  }

  /** What was said so far; a character that is still cut will not be completed. */
  #soFar() {
    for (const channel of ["stdout", "stderr"] as const)
      this.#grow(channel, this.#decoders[channel].decode());
    const { stdout, stderr } = this.#text;
    return { command: this.#args.command, stdout, stderr, interleavedOutput: this.#both };
  }

  #spawnError(error: string): MessageInitShape<typeof ShellResultSchema> {
    return { result: { case: "spawnError", value: { ...this.#args, error } } };
  }
}

const decoder = () => new TextDecoder("utf-8", { ignoreBOM: true });

const endUnknown = { aborted: false, abortReason: ShellAbortReason.UNSPECIFIED };

const grow = (text: string, more: string): string => (text.length > longest ? text : text + more);
