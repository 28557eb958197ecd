/** The link to the program, with the time since which it is lost. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Link } from "../client.ts";

export type LinkState =
  | { readonly type: Exclude<Link, "lost"> }
  | { readonly type: "lost"; readonly sinceMs: number };

export interface LinkStore {
  readonly store: StoreApi<LinkState>;
  hear(link: Link): void;
}

export function createLink(now: () => number): LinkStore {
  const store = createStore<LinkState>()(() => ({ type: "connecting" }));
  return {
    store,
    hear(link) {
      if (link !== "lost") store.setState({ type: link }, true);
      else if (store.getState().type !== "lost") store.setState({ type: "lost", sinceMs: now() }, true);
    },
  };
}
