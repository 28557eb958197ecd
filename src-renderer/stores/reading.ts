/**
 * The conversation that is open: read whole once, then only its end, while the answer being streamed grows beside it.
 *
 * Reading and streaming come by two connections. A piece says where in its block it belongs, so one that was read
 * already is dropped, and one that leaves a gap makes the end be read again.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Client } from "../../src-main/contract/contract.ts";
import type {
  ConversationReading,
  ConversationView,
  LiveAnswer,
  LivePiece,
} from "../../src-main/contract/conversations.ts";
import { messageOf, type Shadowed } from "./shadow.ts";

export interface Reading {
  /** null: no conversation is open. */
  readonly id: string | null;
  readonly state: Shadowed<ConversationReading>;
}

export interface ReadingStore {
  readonly store: StoreApi<Reading>;
  open(id: string | null): void;
  /** Reads it anew, whole. */
  load(): Promise<void>;
  hearChange(changed: ConversationView): void;
  hearLive(pieces: readonly LivePiece[]): void;
}

export function createReading(client: Client): ReadingStore {
  const store = createStore<Reading>()(() => ({ id: null, state: { type: "loading" } }));
  let isAsking = false;
  let isStale = false;

  const known = (): ConversationReading | null => {
    const { state } = store.getState();
    return state.type === "loaded" ? state.value : null;
  };

  /** One at a time: what changes while an answer is awaited is asked for after it. */
  async function read(from: (reading: ConversationReading | null) => number): Promise<void> {
    const { id } = store.getState();
    if (id === null) return;
    isStale = isAsking;
    if (isAsking) return;
    isAsking = true;
    await ask(id, from);
    isAsking = false;
    if (store.getState().id !== id) await read(whole);
    else if (isStale) await read(tailOf);
  }

  async function ask(id: string, from: (reading: ConversationReading | null) => number): Promise<void> {
    const before = known();
    const isStillOpen = () => store.getState().id === id;
    try {
      const tail = await client.call("conversations.read", { id, from: from(before) });
      if (isStillOpen()) show(before, tail);
    } catch (reason) {
      if (isStillOpen() && !known())
        store.setState({ state: { type: "failed", message: messageOf(reason) } });
    }
  }

  function show(before: ConversationReading | null, tail: ConversationReading): void {
    if (before && tail.from > 0 && tail.epoch !== before.epoch) {
      store.setState({ state: { type: "loading" } });
      isStale = true;
      return;
    }
    const value = before && tail.from > 0 ? joined(before, tail) : tail;
    const live = newer(known()?.live ?? null, value.live);
    store.setState({ state: { type: "loaded", value: { ...value, live } } });
  }

  return {
    store,
    open(id) {
      if (store.getState().id === id) return;
      store.setState({ id, state: { type: "loading" } });
      void read(whole);
    },
    load: () => read(whole),
    hearChange(changed) {
      if (changed.id === store.getState().id) void read(tailOf);
    },
    hearLive: collected((pieces) => {
      const value = known();
      const ours = pieces.filter(({ conversationId }) => conversationId === value?.conversation.id);
      if (!value || ours.length === 0) return;
      const live = ours.reduce(added, value.live);
      store.setState({ state: { type: "loaded", value: { ...value, live } } });
      if (ours.some((piece) => !fits(live, piece))) void read(tailOf);
    }),
  };
}

/** What comes within the time, together. */
function collected(take: (pieces: readonly LivePiece[]) => void): (pieces: readonly LivePiece[]) => void {
  let waiting: LivePiece[] = [];
  return (pieces) => {
    if (waiting.length === 0)
      setTimeout(() => {
        const all = waiting;
        waiting = [];
        take(all);
      }, liveMs);
    waiting.push(...pieces);
  };
}

/** Between two drawings of an answer that grows. */
const liveMs = 100;

const whole = (): number => 0;

/** From where the newest call stands on: what is before it does not change any more. */
function tailOf(reading: ConversationReading | null): number {
  if (!reading || reading.messages.length === 0) return 0;
  const last = reading.messages.at(-1)?.seq ?? 0;
  const call = reading.calls.at(-1)?.messageCount ?? last;
  return Math.max(0, Math.min(call, last) - 1);
}

function joined(before: ConversationReading, tail: ConversationReading): ConversationReading {
  const kept = new Set(
    before.calls.filter((call) => call.messageCount < tail.from).map(({ callId }) => callId),
  );
  return {
    ...tail,
    messages: [...before.messages.filter(({ seq }) => seq < tail.from), ...tail.messages],
    calls: [...before.calls.filter(({ callId }) => kept.has(callId)), ...tail.calls],
    operations: [...before.operations.filter(({ callId }) => kept.has(callId)), ...tail.operations],
    context: tail.context ?? before.context,
  };
}

/** Of the same answer the longer one: events may have overtaken what was read. */
function newer(heard: LiveAnswer | null, read: LiveAnswer | null): LiveAnswer | null {
  if (!heard || !read || heard.callId !== read.callId) return read;
  return lengthOf(heard) > lengthOf(read) ? heard : read;
}

const lengthOf = ({ blocks }: LiveAnswer): number => blocks.reduce((sum, { text }) => sum + text.length, 0);

export function added(live: LiveAnswer | null, piece: LivePiece): LiveAnswer | null {
  const { conversationId, callId, index, at, type, name, text } = piece;
  const answer = live?.callId === callId ? live : { conversationId, callId, blocks: [] };
  const block = answer.blocks[index];
  if (!block) {
    if (at > 0 || index !== answer.blocks.length) return live;
    return { ...answer, blocks: [...answer.blocks, { type, name, text }] };
  }
  const isNext = at <= block.text.length && at + text.length > block.text.length;
  if (!isNext) return answer;
  const grown = { ...block, text: block.text.slice(0, at) + text };
  return { ...answer, blocks: answer.blocks.with(index, grown) };
}

function fits(live: LiveAnswer | null, { callId, index, at, text }: LivePiece): boolean {
  const length = live?.callId === callId ? live.blocks[index]?.text.length : undefined;
  return length !== undefined && length >= at + text.length;
}
