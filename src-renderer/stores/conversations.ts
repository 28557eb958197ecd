/** The list of conversations: searched in the program a moment at a time, kept in step with what changes. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Client } from "../../src-main/contract/contract.ts";
import type {
  ConversationHit,
  ConversationSearch,
  ConversationView,
  ListPlace,
} from "../../src-main/contract/conversations.ts";
import { messageOf } from "./shadow.ts";

export interface Wanted {
  readonly text: string;
  readonly status: ConversationSearch["status"];
  /** How far back; null: all. */
  readonly days: number | null;
}

export interface ConversationList {
  readonly wanted: Wanted;
  readonly hits: readonly ConversationHit[];
  /** Where older ones follow; null: that is all. */
  readonly next: ListPlace | null;
  readonly state: "loading" | "loaded" | "failed";
  /** Of what failed. */
  readonly message: string;
}

export interface Conversations {
  readonly store: StoreApi<ConversationList>;
  /** Asks anew; what is shown stays meanwhile. */
  load(): Promise<void>;
  want(change: Partial<Wanted>): void;
  more(): Promise<void>;
  hear(changed: ConversationView): void;
}

/** How many more are asked for at a time. */
const pageSize = 60;
const dayMs = 86_400_000;

export function createConversations(client: Client, now: () => number): Conversations {
  const store = createStore<ConversationList>()(() => ({
    wanted: { text: "", status: "all", days: null },
    hits: [],
    next: null,
    state: "loading",
    message: "",
  }));
  let asks = 0;

  /** The program searches for a moment only, so it is asked until a page is full. */
  async function search(from: ListPlace | null, before: readonly ConversationHit[]): Promise<void> {
    const mine = ++asks;
    try {
      for await (const { hits, next } of pagesFrom(from, before)) {
        if (mine !== asks) return;
        store.setState({ hits, next });
      }
      if (mine === asks) store.setState({ state: "loaded" });
    } catch (reason) {
      if (mine === asks) store.setState({ state: "failed", message: messageOf(reason) });
    }
  }

  async function* pagesFrom(from: ListPlace | null, before: readonly ConversationHit[]) {
    const { text, status, days } = store.getState().wanted;
    const sinceMs = days === null ? null : now() - days * dayMs;
    const full = before.length + pageSize;
    let list: Pick<ConversationList, "hits" | "next"> = { hits: before, next: from };
    do {
      const limit = full - list.hits.length;
      const wanted = { text, status, sinceMs, after: list.next, limit };
      const { hits, next } = await client.call("conversations.list", wanted);
      list = { hits: [...list.hits, ...hits], next };
      yield list;
    } while (list.next !== null && list.hits.length < full);
  }

  return {
    store,
    load: () => search(null, []),
    want(change) {
      store.setState({ wanted: { ...store.getState().wanted, ...change }, state: "loading" });
      void search(null, []);
    },
    async more() {
      const { next, state, hits } = store.getState();
      if (next === null || state === "loading") return;
      store.setState({ state: "loading" });
      await search(next, hits);
    },
    hear(changed) {
      store.setState(({ hits, wanted }) => ({ hits: placed(hits, changed, wanted) }));
    },
  };
}

/** A changed one moves to the top; a new one appears there, unless something else was searched for. */
function placed(
  hits: readonly ConversationHit[],
  changed: ConversationView,
  { text, status }: Wanted,
): readonly ConversationHit[] {
  const known = hits.find(({ conversation }) => conversation.id === changed.id);
  if (!known && (text !== "" || status !== "all")) return hits;
  const others = hits.filter((hit) => hit !== known);
  const hit = { conversation: changed, found: known?.found ?? null };
  const at = others.findIndex(({ conversation }) => conversation.updatedMs <= changed.updatedMs);
  return others.toSpliced(at === -1 ? others.length : at, 0, hit);
}
