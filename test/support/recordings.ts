/** What the real client was seen to say. Everything here is null when the recordings are not at hand. */
import type { JsonValue } from "@bufbuild/protobuf";
import type { Reply } from "../../src-main/loop/types.ts";
import { readShared } from "./shared.ts";
import { execAnswer } from "./tool-call.ts";

interface Message {
  readonly dir: "c->s" | "s->c";
  readonly msg: Readonly<Record<string, JsonValue>>;
}

/** The messages of a kind in a recorded run. */
export function recorded(file: string, dir: Message["dir"], kind: string): readonly JsonValue[] | null {
  const run = readShared(`real-client/transcripts/${file}`) as { messages: readonly Message[] } | null;
  return (
    run?.messages.flatMap(({ dir: from, msg }) =>
      from === dir && msg[kind] !== undefined ? [msg[kind]] : [],
    ) ?? null
  );
}

/** What was answered to each kind of question, asked well and asked badly: "readArgs", "readArgs.dir" ... */
export const recordedResults = (): Readonly<Record<string, { readonly result?: JsonValue }>> | null =>
  readShared("real-client/transcripts/_exec_all_results.json") as ReturnType<typeof recordedResults>;

/** What was answered where the user's rules had a say. */
export const recordedGuards = (): Readonly<Record<string, JsonValue>> | null =>
  readShared("real-client/transcripts/_guards_results.json") as ReturnType<typeof recordedGuards>;

/** One of those answers, as the reply that it was; `result` names its field in an ExecClientMessage. */
export function recordedReply(kind: string, result: string): Reply | null {
  const found = recordedResults()?.[kind]?.result;
  return found === undefined ? null : execAnswer({ [result]: found });
}
