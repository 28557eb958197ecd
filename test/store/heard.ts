/** Lets a conversation hear something as the runner does it: the try that ended goes along, and tells what it used. */
import { type Said, type Talk, usage } from "./talk.ts";

export function heard(talk: Talk, said: Said): void {
  const { inputId } = talk.prepare(said).commit;
  const callId = inputId.slice("call:".length);
  const record = { callId, try: 1, startedMs: 1, firstMs: 2, endedMs: 3, usage, error: null, partial: null };
  talk.hears(said, { tries: inputId.startsWith("call:") ? [record] : [] });
}
