/** The steps of tools that Ownkey carries out itself; what they need is loaded on first use. */
import type { Clock } from "../base/clock.ts";
import type { CarryOut } from "../transport/run/local-steps.ts";
import { createLocal, sleep } from "../transport/run/local-table.ts";
import type { SearchChoice } from "../web/search.ts";

export interface LocalStepOptions {
  readonly clock: Clock;
  /** Ports this program listens on, which no page may be fetched from. */
  ownPorts(): readonly number[];
  /** null: the user has not chosen a provider. */
  searchChoice(): SearchChoice | null;
}

export function createLocalSteps({ clock, ownPorts, searchChoice }: LocalStepOptions): CarryOut {
  const fetch = onFirstUse(async () => {
    const { connectTo, createFetch, systemLookup } = await import("../web/fetch.ts");
    return createFetch({ clock, lookup: systemLookup, ownPorts, connect: connectTo });
  });
  const search = onFirstUse(async () => {
    const [{ createSearch }, { Agent }] = await Promise.all([import("../web/search.ts"), import("undici")]);
    return createSearch({ clock, choice: searchChoice, dispatcher: new Agent() });
  });
  return createLocal({
    sleep: sleep(clock),
    fetch: async (request, signal) => (await fetch())(request, signal),
    search_provider: async () => (await search()).provider(),
    search: async (request, signal) => (await search()).search(request, signal),
  });
}

function onFirstUse<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | null = null;
  return () => {
    made ??= make();
    return made;
  };
}
