/** The answer being streamed: grows with each event, is compared with `done`, and is never history itself. */
import type { AssistantBlock, AssistantMessage, ResponseEvent } from "../llm/types.ts";
import type { Pending, PendingBlock } from "./types.ts";

export const emptyPending = (callId: string): Pending => ({ callId, blocks: [] });

/** Costs the number of blocks, not the length of what came before: joined strings are ropes. */
export function fold(pending: Pending, event: ResponseEvent): Pending {
  switch (event.type) {
    case "text_start":
      return open(pending, { type: "text", text: "", closed: false, call: null });
    case "thinking_start":
      return open(pending, { type: "thinking", text: "", closed: false, call: null });
    case "tool_call_start":
      return open(pending, {
        type: "tool_call",
        text: "",
        closed: false,
        call: { id: event.id, name: event.name },
      });
    case "text_delta":
    case "thinking_delta":
    case "tool_call_delta":
      return change(pending, event.index, (block) => ({ ...block, text: block.text + event.text }));
    case "text_end":
    case "thinking_end":
    case "tool_call_end":
      return change(pending, event.index, (block) => ({ ...block, closed: true }));
    case "start":
    case "done":
    case "error":
      return pending;
  }
}

/** What `message` has that the deltas did not bring, or the other way round; null when they agree. */
export function differenceOf(pending: Pending, message: AssistantMessage): string | null {
  if (pending.blocks.length !== message.blocks.length)
    return `${pending.blocks.length} blocks were streamed and ${message.blocks.length} finished`;
  const at = message.blocks.findIndex((block, index) => !isSame(pending.blocks[index], block));
  return at < 0 ? null : `block ${at} (${message.blocks[at]?.type}) is not what was streamed`;
}

/** The text that people have seen so far. */
export const visibleText = (pending: Pending | null): string =>
  (pending?.blocks ?? [])
    .filter((block) => block.type === "text")
    .map((block) => block.text)
    .join("");

/** Whether anything of it was shown: a try that fails before that can be repeated without a trace. */
export const isVisible = (pending: Pending | null): boolean => (pending?.blocks.length ?? 0) > 0;

const open = (pending: Pending, block: PendingBlock): Pending => ({
  ...pending,
  blocks: [...pending.blocks, block],
});

function change(pending: Pending, index: number, update: (block: PendingBlock) => PendingBlock): Pending {
  const block = pending.blocks[index];
  if (!block) return pending;
  const blocks = pending.blocks.slice();
  blocks[index] = update(block);
  return { ...pending, blocks };
}

function isSame(streamed: PendingBlock | undefined, block: AssistantBlock): boolean {
  if (streamed?.type !== block.type) return false;
  switch (block.type) {
    case "text":
    case "thinking":
      return streamed.text === block.text;
    case "tool_call":
      return streamed.text === block.arguments && streamed.call?.name === block.name;
  }
}
