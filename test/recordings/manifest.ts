/** The recorded streams: where they lie, what their manifest says of each, and the bytes as a server would send them. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { ChannelFormat } from "../../src-main/llm/types.ts";
import { shared } from "../support/shared.ts";

export interface Recording {
  readonly id: string;
  readonly path: string;
  readonly api: "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini";
  readonly format: "sse" | "jsonl";
  readonly expected: Expected;
}

export interface Expected {
  readonly text: string;
  readonly thinking: string;
  readonly thinkingRaw?: string;
  readonly toolCalls: readonly ExpectedCall[];
  readonly stopReason: string;
  readonly stopReasonSuggested?: string;
  readonly error: { readonly message: string } | null;
  readonly responseId: string | null;
  readonly signatures: readonly { readonly kind: string; readonly length: number }[];
  readonly usage: {
    readonly cacheRead: number | null;
    readonly cacheWrite: number | null;
    readonly reasoning: number | null;
    readonly inputTotal: number;
    readonly outputTotal: number;
  } | null;
}

export interface ExpectedCall {
  readonly id: string | null;
  readonly name: string;
  readonly argumentsRaw: string | null;
  readonly arguments: unknown;
}

export interface RecordedError {
  readonly id: string;
  readonly path: string;
  readonly api: Recording["api"];
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly expected: { readonly message: string; readonly code: string | number | null };
}

export interface Manifest {
  readonly scenarios: Readonly<Record<string, readonly string[]>>;
  readonly recordings: readonly Recording[];
  readonly httpErrors: readonly RecordedError[];
}

/** Named in the environment, or beside the repository. */
export const folder = process.env.RECORDINGS ? resolve(process.env.RECORDINGS) : join(shared, "recordings");

/** null where the recordings are not at hand. */
export const manifest: Manifest | null = existsSync(join(folder, "MANIFEST.json"))
  ? (JSON.parse(readFileSync(join(folder, "MANIFEST.json"), "utf8")) as Manifest)
  : null;

export const readRecorded = (path: string): string => readFileSync(join(folder, path), "utf8");

export const formatOf = ({ api }: Pick<Recording, "api">): ChannelFormat =>
  api === "anthropic-messages" ? "anthropic" : api;

/** Files of lines become what the manifest's `wrap` says. */
export function bytesOf({ path, format, api }: Recording): Uint8Array {
  if (format === "sse") return readFileSync(join(folder, path));
  const lines = readRecorded(path)
    .split("\n")
    .filter((line) => line.trim() !== "");
  return new TextEncoder().encode(
    lines.map((line) => wrapped(line, api)).join("") + (api === "openai-chat" ? "data: [DONE]\n\n" : ""),
  );
}

function wrapped(line: string, api: Recording["api"]): string {
  if (api === "openai-chat") return `data: ${line}\n\n`;
  if (api === "gemini") return `data: ${line}\r\n\r\n`;
  const { type } = JSON.parse(line) as { type: string };
  return `event: ${type}\ndata: ${line}\n\n`;
}
