/** Which page is shown: kept in the address behind the #, so that back, forward and a reload work by themselves. */
import { createStore, type StoreApi } from "zustand/vanilla";

export const pages = [
  "overview",
  "channels",
  "conversations",
  "inspector",
  "usage",
  "connect",
  "settings",
  "help",
] as const;
export type PageName = (typeof pages)[number];

export interface Route {
  readonly page: PageName;
  /** What is opened on the page: a conversation, a call ... */
  readonly id: string | null;
}

export interface RouteStore {
  readonly store: StoreApi<Route>;
  go(page: PageName, id?: string | null): void;
  /** Asked before another place is shown, however it was called for; false: not now. null: nobody asks. */
  guard(ask: ((to: Route) => boolean) | null): void;
}

const start: Route = { page: "overview", id: null };

export const hashOf = ({ page, id }: Route): string =>
  id === null ? `#/${page}` : `#/${page}/${encodeURIComponent(id)}`;

/** The first page for an address that names none. */
export function routeOf(hash: string): Route {
  const [name = "", id = ""] = hash.replace(/^#\//, "").split("/");
  const page = pages.find((each) => each === name);
  return page ? { page, id: id === "" ? null : decoded(id) } : start;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** `place` is the page's address; the listener hears of changes by the user's own hand, too. */
export function createRoute(place: {
  readonly hash: () => string;
  readonly go: (hash: string) => void;
  readonly listen: (listener: () => void) => void;
}): RouteStore {
  const store = createStore<Route>()(() => routeOf(place.hash()));
  let ask: ((to: Route) => boolean) | null = null;
  const mayGo = (to: Route) => hashOf(to) === hashOf(store.getState()) || ask === null || ask(to);
  place.listen(() => {
    const to = routeOf(place.hash());
    if (mayGo(to)) store.setState(to, true);
    else place.go(hashOf(store.getState()));
  });
  return {
    store,
    go(page, id = null) {
      const to = { page, id };
      if (!mayGo(to)) return;
      store.setState(to, true);
      place.go(hashOf(to));
    },
    guard(asked) {
      ask = asked;
    },
  };
}
