/**
 * Answers while they are streamed, for those who watch: what was added goes out at most every 50 ms.
 *
 * Rule: what is kept is one answer a conversation, and only until it ends: then it is history, or it is told with the
 * call why it is not.
 */
import type { Clock } from "../base/clock.ts";
import type { CallView } from "../contract/calls.ts";
import type { LiveAnswer, LiveBlock, LivePiece } from "../contract/conversations.ts";
import type { ResponseEvent } from "../llm/types.ts";
import type { Emitter } from "./events.ts";

export interface Live {
  heard(callId: string, event: ResponseEvent): void;
  ended(callId: string): void;
  /** What was streamed so far; null when nothing is. */
  of(conversationId: string): LiveAnswer | null;
  /** With what the store is told only at its end: that it streams, and since when. */
  asStreamed(call: CallView): CallView;
}

const batchMs = 50;

interface Answer {
  readonly callId: string;
  readonly beganMs: number;
  readonly blocks: LiveBlock[];
}

/** `began` hears of each answer when its first piece has come. */
export function createLive(clock: Clock, emit: Emitter["emit"], began: (callId: string) => void): Live {
  const answers = new Map<string, Answer>();
  let unsent: LivePiece[] = [];

  function flush(): void {
    const pieces = unsent;
    unsent = [];
    if (pieces.length > 0) emit("live.heard", pieces);
  }

  function add({ callId, blocks }: Answer, index: number, { type, name, text }: LiveBlock): void {
    const own = { type, name, text };
    const before = blocks[index];
    blocks[index] = before ? { ...before, text: before.text + own.text } : own;
    const last = unsent.at(-1);
    if (last?.callId === callId && last.index === index)
      unsent[unsent.length - 1] = { ...last, text: last.text + own.text };
    else {
      const at = before?.text.length ?? 0;
      unsent.push({ conversationId: conversationOf(callId), callId, index, at, ...own });
    }
    if (unsent.length === 1 && last === undefined) clock.after(batchMs, flush);
  }

  function answerOf(callId: string): Answer {
    const known = answers.get(conversationOf(callId));
    if (known?.callId === callId) return known;
    const answer: Answer = { callId, beganMs: clock.now(), blocks: [] };
    answers.set(conversationOf(callId), answer);
    began(callId);
    return answer;
  }

  function ended(callId: string): void {
    if (answers.get(conversationOf(callId))?.callId !== callId) return;
    flush();
    answers.delete(conversationOf(callId));
  }

  return {
    heard(callId, event) {
      const added = addedBy(event);
      if (added === "ended") ended(callId);
      else if (added) add(answerOf(callId), added.index, added);
    },
    ended,
    of(conversationId) {
      const answer = answers.get(conversationId);
      return answer ? { conversationId, callId: answer.callId, blocks: answer.blocks.slice() } : null;
    },
    asStreamed(call) {
      const answer = answers.get(call.conversationId);
      if (answer?.callId !== call.callId || call.status !== "planned") return call;
      return { ...call, status: "streaming", firstTokenMs: answer.beganMs - call.plannedMs };
    },
  };
}

function addedBy(event: ResponseEvent): (LiveBlock & { readonly index: number }) | "ended" | null {
  switch (event.type) {
    case "start": // another try of the same call begins anew
    case "done":
    case "error":
      return "ended";
    case "text_start":
    case "thinking_start":
      return {
        type: event.type === "text_start" ? "text" : "thinking",
        index: event.index,
        name: null,
        text: "",
      };
    case "tool_call_start":
      return { type: "tool_call", index: event.index, name: event.name, text: "" };
    case "text_delta":
      return { type: "text", index: event.index, name: null, text: event.text };
    case "thinking_delta":
      return { type: "thinking", index: event.index, name: null, text: event.text };
    case "tool_call_delta":
      return { type: "tool_call", index: event.index, name: null, text: event.text };
    case "text_end":
    case "thinking_end":
    case "tool_call_end":
      return null;
  }
}

/** A callId begins with its conversation. */
export const conversationOf = (callId: string): string => callId.slice(0, callId.indexOf("/"));
