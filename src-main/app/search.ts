/**
 * The user's choice of who searches the web: an address for an instance of their own, a sealed key for all others.
 *
 * Rule: a key stays with its provider. Another choice, or none, removes it.
 */
import { z } from "zod";
import { OwnkeyError } from "../base/errors.ts";
import type { SearchView, SetSearch } from "../contract/program.ts";
import type { Settings } from "../store/settings.ts";
import type { SearchChoice } from "../web/search.ts";
import { type KeyedProvider, keyedProviders } from "../web/search-providers.ts";
import { parseBaseUrl } from "./base-url.ts";
import { cleanKey } from "./channels/fields.ts";
import type { KeyPlace, ProviderKeys } from "./provider-keys.ts";

export interface SearchSettings {
  get(): SearchView;
  /** Throws `config` with a sentence when something does not fit. */
  set(change: SetSearch): SearchView;
  /** Opens the key. null: nothing is chosen. Throws `config` or `auth` with a sentence that says what to do. */
  choice(): SearchChoice | null;
}

const keyed = z.enum(["brave", "tavily", "exa"]);

export const setSearch: z.ZodType<SetSearch> = z.discriminatedUnion("provider", [
  z.strictObject({ provider: z.null() }),
  z.strictObject({ provider: z.literal("searxng"), address: z.string().max(2000) }),
  z.strictObject({ provider: keyed, key: z.string().max(10_000).exactOptional() }),
]);

const setting = "search";
const stored = z.discriminatedUnion("provider", [
  z.object({ provider: z.literal("searxng"), address: z.string() }),
  z.object({ provider: keyed, address: z.null() }),
]);

const slot = { owner: "app", name: "search" } as const;

/** `ownPorts` are those this program listens on, or will. */
export function createSearchSettings(
  settings: Settings,
  keys: ProviderKeys,
  ownPorts: () => readonly number[],
): SearchSettings {
  /** What cannot be read counts as no choice: nothing is sent then. */
  const read = () => stored.safeParse(settings.get(setting)).data ?? null;

  function get(): SearchView {
    const chosen = read();
    if (!chosen) return { provider: null, address: null, key: "none" };
    if (chosen.provider === "searxng") return { ...chosen, key: "none" };
    const state = keys.state(placeOf(chosen.provider));
    return { ...chosen, key: state === "missing" ? "none" : state };
  }

  function takeKey(provider: KeyedProvider, key: string | undefined): void {
    const place = placeOf(provider);
    if (key !== undefined) keys.put(place, cleanKey(key));
    else if (keys.state(place) !== "set") throw wantsKey(provider);
  }

  return {
    get,
    set(change) {
      switch (change.provider) {
        case null:
          keys.remove(slot);
          settings.set(setting, null);
          return get();
        case "searxng": {
          const address = parseBaseUrl(change.address, ownPorts());
          keys.remove(slot);
          settings.set(setting, { provider: change.provider, address });
          return get();
        }
        case "brave":
        case "tavily":
        case "exa":
          takeKey(change.provider, change.key);
          settings.set(setting, { provider: change.provider, address: null });
          return get();
      }
    },
    choice() {
      const chosen = read();
      if (!chosen) return null;
      const { provider, address } = chosen;
      // Again, since our port may be another one now.
      if (provider === "searxng") return { provider, address: parseBaseUrl(address, ownPorts()) };
      const key = keys.open(placeOf(provider));
      if (key === null) throw wantsKey(provider);
      return { provider, key };
    },
  };
}

function placeOf(provider: KeyedProvider): KeyPlace {
  const { name, address } = keyedProviders[provider];
  return { ...slot, address, title: `The search provider ${name}` };
}

const wantsKey = (provider: KeyedProvider) =>
  new OwnkeyError(
    "config",
    `${keyedProviders[provider].name} wants a key. Give it: ownkey search set ${provider} --key-stdin`,
  );
