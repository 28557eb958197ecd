/** The model of all conversations: plays its part, and looks whether each request begins with the one before it. */
import { setTimeout } from "node:timers/promises";
import type { Asked, ChatMessage, Model, Say } from "../support/upstream.ts";
import { cueIn, modelCallId, plays, type Step } from "./plays.ts";

export interface Actor {
  readonly model: Model;
  /** What was wrong with the requests of a conversation: sentences. */
  complaints(tag: string): readonly string[];
}

/** Between two pieces, so that there are moments in between. */
const pieceMs = 3;

interface Known {
  /** The newest request: what precedes the messages, and they themselves. */
  fixed: string;
  messages: string;
  readonly complaints: string[];
  readonly broken: Set<string>;
}

export function createActor(): Actor {
  const conversations = new Map<string, Known>();
  const knownOf = (tag: string): Known => {
    const known = conversations.get(tag) ?? { fixed: "", messages: "", complaints: [], broken: new Set() };
    conversations.set(tag, known);
    return known;
  };
  return {
    complaints: (tag) => knownOf(tag).complaints,
    async model(asked, say) {
      const part = partIn(asked);
      if (!part) return say.refuse(400, "This is no part of any play.");
      const known = knownOf(part.tag);
      compare(known, asked);
      const name = `${part.turn} ${part.nth}`;
      const breaks = part.step.breaksOnce === true && !known.broken.has(name);
      if (breaks) known.broken.add(name);
      await speak(part, breaks, say);
    },
  };
}

async function speak({ step, turn, nth }: Part, breaks: boolean, say: Say): Promise<void> {
  if (step.thinking) say.thinking(step.thinking);
  for (const piece of breaks ? step.text.slice(0, 1) : step.text) {
    await setTimeout(pieceMs);
    say.text(piece);
  }
  await setTimeout(pieceMs);
  if (breaks) return say.cut();
  for (const [index, call] of (step.calls ?? []).entries())
    say.call(call.name, call.args, modelCallId(turn, nth, index));
}

interface Part {
  readonly tag: string;
  readonly turn: number;
  /** Counts the steps of the turn, from 0. */
  readonly nth: number;
  readonly step: Step;
}

/** The step that the history says is next. */
function partIn({ messages }: Asked): Part | null {
  const at = messages.findLastIndex(({ role, content }) => role === "user" && cueIn(textIn(content)));
  const cue = cueIn(textIn(messages[at]?.content));
  const nth = messages.slice(at).filter(({ role }) => role === "assistant").length;
  const step: Step | undefined = cue ? plays[cue.play]?.[cue.turn]?.[nth] : undefined;
  return cue && step ? { ...cue, nth, step } : null;
}

function compare(known: Known, { raw }: Asked): void {
  const { messages, ...rest } = JSON.parse(raw) as { readonly messages: readonly ChatMessage[] };
  const fixed = JSON.stringify(rest);
  const bytes = JSON.stringify(messages).slice(0, -1);
  if (!bytes.startsWith(known.messages))
    known.complaints.push("a request does not begin with the one before it");
  if (known.fixed !== "" && fixed !== known.fixed)
    known.complaints.push("the fixed part of a request has changed");
  known.fixed = fixed;
  known.messages = bytes;
}

const textIn = (content: unknown): string => JSON.stringify(content) ?? "";
