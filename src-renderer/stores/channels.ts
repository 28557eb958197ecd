/** The channels, and what their tests said in this window. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { ChannelView, TestResult } from "../../src-main/contract/channels.ts";
import type { Client } from "../../src-main/contract/contract.ts";
import { createShadow, messageOf, type Shadow } from "./shadow.ts";

export type Test =
  | { readonly type: "running" }
  | { readonly type: "done"; readonly result: TestResult; readonly atMs: number }
  /** The test itself could not be made. */
  | { readonly type: "failed"; readonly message: string };

/** By channel id; a channel that was not tested yet has no entry. */
export type Tests = Readonly<Record<string, Test>>;

export interface Channels extends Shadow<readonly ChannelView[], readonly ChannelView[]> {
  readonly tests: StoreApi<Tests>;
  /** Sends one small request to the user's account; never rejects. A second test waits for no first one: it is dropped. */
  test(id: string): Promise<void>;
  /** Shown at once, and taken back when the program refuses. */
  enable(id: string, enabled: boolean): Promise<void>;
  /** All ids; shown at once, and taken back when the program refuses. */
  reorder(ids: readonly string[]): Promise<void>;
}

export function createChannels(client: Client, now: () => number): Channels {
  const tests = createStore<Tests>()(() => ({}));
  const show = (id: string, test: Test) => tests.setState({ [id]: test });

  const shadow = createShadow<readonly ChannelView[], readonly ChannelView[]>(
    () => client.call("channels.list", null),
    (_, next) => next,
  );

  async function optimistic(
    change: (list: readonly ChannelView[]) => readonly ChannelView[],
    tell: () => Promise<unknown>,
  ): Promise<void> {
    const state = shadow.store.getState();
    if (state.type === "loaded") shadow.hear(change(state.value));
    try {
      await tell();
    } catch {
      await shadow.load();
    }
  }

  return {
    ...shadow,
    tests,
    enable: (id, enabled) =>
      optimistic(
        (list) => list.map((channel) => (channel.id === id ? { ...channel, enabled } : channel)),
        () => client.call("channels.set", { id, fields: {}, enabled }),
      ),
    reorder: (ids) =>
      optimistic(
        (list) => ids.flatMap((id) => list.filter((channel) => channel.id === id)),
        () => client.call("channels.reorder", { ids }),
      ),
    async test(id) {
      if (tests.getState()[id]?.type === "running") return;
      show(id, { type: "running" });
      try {
        const result = await client.call("channels.test", { id });
        show(id, { type: "done", result, atMs: now() });
      } catch (reason) {
        show(id, { type: "failed", message: messageOf(reason) });
      }
    },
  };
}

/** The part of the address that says who is asked; the whole text when it is no address. */
export const hostOf = (baseUrl: string): string => URL.parse(baseUrl)?.host ?? baseUrl;
