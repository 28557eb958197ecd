/**
 * A shadow: what the window knows of something whose truth lives in the program.
 *
 * It asks once per opened link and listens all the time. Answer and events come by two connections, in no order, so
 * events heard while an answer is awaited are laid over it: each later change brings an event of its own, hence the
 * last word is right.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import { CallError } from "../client.ts";

/** One union instead of loading, error and data flags: what is both failed and loaded cannot be said. */
export type Shadowed<T> =
  | { readonly type: "loading" }
  | { readonly type: "loaded"; readonly value: T }
  | { readonly type: "failed"; readonly message: string };

export interface Shadow<T, E> {
  readonly store: StoreApi<Shadowed<T>>;
  /** Asks; never rejects. Of overlapping asks the last one counts. */
  load(): Promise<void>;
  hear(event: E): void;
}

export function createShadow<T, E>(ask: () => Promise<T>, fold: (value: T, event: E) => T): Shadow<T, E> {
  const store = createStore<Shadowed<T>>()(() => ({ type: "loading" }));
  const show = (state: Shadowed<T>) => store.setState(state, true);
  /** While an answer is awaited. */
  let heard: E[] | null = null;
  let asks = 0;

  return {
    store,
    async load() {
      const mine = ++asks;
      const since: E[] = [];
      heard = since;
      if (store.getState().type === "failed") show({ type: "loading" });
      try {
        const value = await ask();
        if (mine === asks) show({ type: "loaded", value: since.reduce(fold, value) });
      } catch (reason) {
        // Without an answer the last known value stays: the window says elsewhere that the link is lost.
        const isKept = isLinkLost(reason) && store.getState().type === "loaded";
        if (mine === asks && !isKept) show({ type: "failed", message: messageOf(reason) });
      }
      if (mine === asks) heard = null;
    },
    hear(event) {
      heard?.push(event);
      const state = store.getState();
      if (state.type === "loaded") show({ type: "loaded", value: fold(state.value, event) });
    },
  };
}

const isLinkLost = (reason: unknown): boolean => reason instanceof CallError && reason.kind === "network";

export const messageOf = (reason: unknown): string =>
  reason instanceof Error ? reason.message : String(reason);
