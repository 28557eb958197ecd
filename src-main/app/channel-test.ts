/** Sends one small real request over the very way that a run takes, and says in a sentence how it went. */
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { TestResult } from "../contract.ts";
import type { Llm } from "../llm/llm.ts";
import type { AssistantMessage, Channel, LlmError, ResponseEvent } from "../llm/types.ts";

const limitMs = 60_000;
const mostShown = 60;

export async function testChannel(
  channel: Channel,
  open: (channel: Channel) => Llm,
  clock: Clock,
): Promise<TestResult> {
  const begun = clock.now();
  const limit = new AbortController();
  const callOff = clock.after(limitMs, () => limit.abort());
  let firstTokenMs: number | null = null;
  const result = (ok: boolean, message: string): TestResult => {
    return { ok, message, firstTokenMs, totalMs: clock.now() - begun };
  };
  try {
    for await (const events of open(channel).stream(requestFor(channel), limit.signal)) {
      for (const event of events) {
        if (isToken(event)) firstTokenMs ??= clock.now() - begun;
        if (event.type === "error") return result(false, failureOf(event.error, limit.signal.aborted));
        if (event.type === "done") return result(true, successOf(event.message));
      }
    }
    return result(false, "The answer ended without an end. That is a fault of Ownkey.");
  } catch (reason) {
    return result(false, OwnkeyError.from(reason).message);
  } finally {
    callOff();
    limit.abort();
  }
}

const requestFor = (channel: Channel) => ({
  system: "",
  messages: [
    { role: "user" as const, parts: [{ type: "text" as const, text: "Reply with the single word OK." }] },
  ],
  tools: [],
  options: channel.options,
});

const isToken = ({ type }: ResponseEvent): boolean =>
  type === "text_delta" || type === "thinking_delta" || type === "tool_call_delta";

const failureOf = (error: LlmError, isLate: boolean): string =>
  isLate ? `No complete answer came within ${limitMs / 1000} s.` : error.message;

function successOf(message: AssistantMessage): string {
  const text = message.blocks.map((block) => (block.type === "text" ? block.text : "")).join("");
  const shown = text.replaceAll(/\s+/g, " ").trim();
  if (shown === "") return "It answered, but without text.";
  return `It answered: ${shown.length > mostShown ? `${shown.slice(0, mostShown)}…` : shown}`;
}
