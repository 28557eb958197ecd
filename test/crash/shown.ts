/**
 * What a user has before the eyes at the end of a turn.
 *
 * An answer that was cut off stays on the screen; what follows behind a boundary (a thinking block of ours) begins
 * it again. So each answer must stand there whole, once, and before it at most beginnings of it, each with a boundary
 * behind it.
 */
import type { AgentServerMessage } from "../../src-main/gen/agent/v1/agent_pb.ts";
import { thinking } from "./plays.ts";

/** `answers`: the texts that the model says in this turn. Returns sentences about what is not so. */
export function complaintsAbout(seen: readonly AgentServerMessage[], answers: readonly string[]): string[] {
  const { segments, last, open } = read(seen);
  const said = segments.join(" [again] ");
  return [
    ...(isTold(segments, answers) ? [] : [`the text shown is ${JSON.stringify(said)}`]),
    ...(last === answers.at(-1) ? [] : [`the result is ${JSON.stringify(last)}`]),
    ...[...open].map((callId) => `the card ${callId} stays open`),
  ];
}

interface Shown {
  /** The text between two boundaries. */
  readonly segments: readonly string[];
  /** What the client calls the result: the text behind the last tool or boundary. */
  readonly last: string;
  readonly open: ReadonlySet<string>;
}

function read(seen: readonly AgentServerMessage[]): Shown {
  const segments = [""];
  const open = new Set<string>();
  let last = "";
  for (const { message } of seen) {
    if (message.case !== "interactionUpdate") continue;
    const update = message.value.message;
    switch (update.case) {
      case "textDelta":
        segments.push(`${segments.pop()}${update.value.text}`);
        last += update.value.text;
        break;
      case "thinkingDelta":
        last = "";
        if (!thinking.includes(update.value.text)) segments.push("");
        break;
      case "partialToolCall":
      case "toolCallStarted":
        last = "";
        open.add(update.value.callId);
        break;
      case "toolCallCompleted":
        last = "";
        open.delete(update.value.callId);
        break;
      default:
    }
  }
  return { segments, last, open };
}

/** Whether the segments, one after the other, can be read as the answers. */
function isTold(segments: readonly string[], answers: readonly string[]): boolean {
  const again = "\n";
  const wanted = answers.map((answer) => `(?:${beginningOf(answer)}${again})*${literal(answer)}`).join("");
  return new RegExp(`^${wanted}$`).test(segments.join(again));
}

/** A pattern for any first part of the text, nothing and all of it included. */
const beginningOf = (text: string): string =>
  [...text].reduceRight((rest, character) => `(?:${literal(character)}${rest})?`, "");

const literal = (text: string): string => text.replaceAll(/[^\w ]/g, "\\$&");
