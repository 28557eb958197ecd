/**
 * What a program printed, as a model can read it: without terminal codes, each line as it stood in the end.
 *
 * The client turns every byte that is no UTF-8 into U+FFFD before we see it (seen: GBK, Latin-1), so such text cannot
 * be brought back here. The model is told, once, how to run the command so that it can.
 */
import type { Workspace } from "../../../loop/types.ts";
import { cutMiddle } from "./limits.ts";
import { isWindows } from "./paths.ts";
import type { ToolContext } from "./tool.ts";

type PrintContext = Pick<ToolContext, "setup" | "redact">;

/** ECMA-48: colours and cursor moves, titles and links, other two-byte codes. Each alternative is linear. */
const terminalCodes =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is sought
  /\x1b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)|[ -/]*[0-~])/g;

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is sought
const otherControls = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** `limit`: characters of the result. "" when nothing was printed. */
export function printed(output: string, limit: number, { setup, redact }: PrintContext): string {
  const plain = output.replaceAll(terminalCodes, "");
  const lines = plain.includes("\r") ? plain.split("\n").map(overwritten).join("\n") : plain;
  const text = cutMiddle(redact(lines.replaceAll(otherControls, "").trimEnd()), limit);
  return text.includes("\uFFFD") ? `${text}\n[${foreignBytes(setup.workspace)}]` : text;
}

/** A progress bar returns to the start of its line and writes it anew: the last was seen. Windows ends lines so too. */
const overwritten = (line: string): string => line.split("\r").findLast((part) => part !== "") ?? "";

const foreignBytes = (workspace: Workspace): string =>
  isWindows(workspace)
    ? "\uFFFD stands for bytes that are not UTF-8; if they matter, switch the console to UTF-8 first: chcp 65001"
    : "\uFFFD stands for bytes that are not UTF-8; if they matter, convert them in the command: | iconv -f GBK -t UTF-8";
