/** The window's look at conversations: found, read with long texts cut, and stopped. */
import { performance } from "node:perf_hooks";
import { z } from "zod";
import { OwnkeyError } from "../base/errors.ts";
import type {
  ConversationCall,
  ConversationHits,
  ConversationReading,
  ConversationSearch,
  ConversationStatus,
  ConversationView,
  MessageView,
  PartView,
} from "../contract/conversations.ts";
import type { ImagePart, Message } from "../llm/types.ts";
import type { ListedConversation } from "../store/reading/list.ts";
import type { ReadCall, ReadMessage } from "../store/reading/read.ts";
import type { Store } from "../store/store.ts";
import type { Live } from "./live.ts";

export interface ConversationsOptions {
  readonly store: Store;
  readonly live: Live;
  /** Whether this process works on it. */
  isAlive(id: string): boolean;
  cancel(id: string): void;
}

export type Conversations = ReturnType<typeof createConversations>;

const id = z.string().max(200);
const place = z.strictObject({ updatedMs: z.number(), id });
const count = z.int().min(0);

export const searchConversations: z.ZodType<ConversationSearch> = z.strictObject({
  text: z.string().max(1000),
  status: z.enum(["all", "active", "failed"]),
  sinceMs: z.number().nullable(),
  after: place.nullable(),
  limit: z.int().min(1).max(200),
});
export const readConversation = z.strictObject({ id, from: count });
export const readPart = z.strictObject({ id, seq: count, part: count });

/** A search gives the program back after this time, and says where to go on. */
const searchMs = 40;

export function createConversations({ store, live, isAlive, cancel }: ConversationsOptions) {
  const toView = (listed: ListedConversation): ConversationView => {
    const { isOpen, status, ...rest } = listed;
    const isInterrupted = isOpen && !isAlive(listed.id);
    return { ...rest, status: isInterrupted ? "interrupted" : words[status] };
  };

  function find(conversationId: string): ConversationView | null {
    const listed = store.reading.get(conversationId);
    return listed && toView(listed);
  }

  function view(conversationId: string): ConversationView {
    const found = find(conversationId);
    if (!found) throw new OwnkeyError("config", "There is no such conversation. It may have been deleted.");
    return found;
  }

  return {
    find,
    stop: cancel,
    list({ status, ...search }: ConversationSearch): ConversationHits {
      const until = performance.now() + searchMs;
      const isLate = () => performance.now() > until;
      const { hits, next } = store.reading.search({ ...search, status: groups[status] }, isLate);
      return {
        hits: hits.map(({ conversation, found }) => ({
          conversation: toView(conversation),
          found: found && { before: found.before, match: found.match, after: found.after },
        })),
        next,
      };
    },
    read(conversationId: string, from: number): ConversationReading {
      const conversation = view(conversationId);
      const reading = store.reading.read(conversationId, from);
      if (!reading) throw new OwnkeyError("bug", "The conversation has no history.");
      return {
        ...reading,
        conversation,
        from,
        messages: reading.messages.map(toMessageView),
        calls: reading.calls.map(toCallView),
        context: contextOf(store, conversation, reading.calls),
        live: live.of(conversationId),
      };
    },
    part(conversationId: string, seq: number, part: number) {
      const message = store.reading.message(conversationId, seq);
      const found = message && partsOf(message)[part];
      if (!found) throw new OwnkeyError("config", "This part of the conversation is no longer there.");
      return found.type === "image" ? { mimeType: found.mimeType, data: found.data } : { text: found.text };
    },
  };
}

const groups = {
  all: null,
  active: ["running", "waiting_tool"],
  failed: ["failed", "provider_error"],
} as const;

const words: Readonly<Record<ListedConversation["status"], ConversationStatus>> = {
  idle: "ready",
  running: "calling",
  waiting_tool: "waiting",
  completed: "finished",
  canceled: "canceled",
  provider_error: "failed",
  failed: "failed",
};

type Part =
  | { readonly type: "text" | "thinking"; readonly text: string }
  | { readonly type: "tool_call"; readonly name: string; readonly text: string }
  | ImagePart;

function partsOf(message: Message): readonly Part[] {
  switch (message.role) {
    case "user":
      return message.parts;
    case "context":
      return [{ type: "text", text: message.text }];
    case "tool":
      return [{ type: "text", text: message.text }, ...(message.images ?? [])];
    case "assistant":
      return message.blocks.map((block) =>
        block.type === "tool_call"
          ? { type: "tool_call", name: block.name, text: block.arguments }
          : { type: block.type, text: block.text },
      );
  }
}

/** Characters of a text that people read, and of one that is folded until somebody opens it. */
const shown = { read: 65_536, folded: 2048 } as const;

function toMessageView({ message, ...row }: ReadMessage): MessageView {
  const { role } = message;
  const isFolded = role === "context" || role === "tool";
  return {
    ...row,
    role,
    parts: partsOf(message).map((part) => toPartView(part, isFolded)),
    isError: message.role === "tool" && message.isError,
  };
}

function toPartView(part: Part, isFolded: boolean): PartView {
  if (part.type === "image")
    return { type: "image", mimeType: part.mimeType, bytes: Math.floor((part.data.length * 3) / 4) };
  const longest = isFolded || part.type === "tool_call" ? shown.folded : shown.read;
  const { text } = part;
  return { ...part, text: text.slice(0, longest), length: text.length };
}

function toCallView(call: ReadCall): ConversationCall {
  const { callId, conversationId, channelId, channelName, model, status, plannedMs, endedMs } = call;
  const { firstTokenMs, tries, usage, error, errorCode, turn, messageCount, assistantSeq, broken } = call;
  return {
    ...{ callId, conversationId, channelId, channelName, model, status, plannedMs, endedMs },
    ...{ firstTokenMs, tries, usage, error, errorCode, turn, messageCount, assistantSeq, broken },
  };
}

function contextOf(store: Store, { id, channelId }: ConversationView, calls: readonly ReadCall[]) {
  const usage = (calls.findLast((call) => call.usage) ?? store.reading.lastUsed(id))?.usage;
  const channel = store.channels.list().find((each) => each.id === channelId);
  if (!usage || !channel) return null;
  const used = usage.fresh + usage.cached + usage.written + usage.output;
  return { used, window: channel.contextWindow };
}
