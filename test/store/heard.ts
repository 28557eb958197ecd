/** Lets a conversation hear something as the runner does it: the try that ended goes along, and tells what it used. */
import { type Said, type Talk, usage } from "./talk.ts";

export function heard(talk: Talk, said: Said): void {
  const input = typeof said === "function" ? said(talk.state) : said;
  if (input.type !== "llm_event") return void talk.hears(input);
  const ended =
    input.event.type === "error"
      ? { usage: null, error: input.event.error }
      : { usage: input.event.type === "done" ? input.event.usage : usage, error: null };
  const { callId } = input;
  talk.hears(input, {
    tries: [{ callId, try: 1, startedMs: 1, firstMs: 2, endedMs: 3, partial: null, ...ended }],
  });
}
