/** The contract over the desktop app's preload: no origin, no token, and a link that is open as long as the page lives. */
import type {
  Bridge,
  CallName,
  EventName,
  Events,
  Look,
  ParamsOf,
  Reply,
  ResultOf,
} from "../src-main/contract/contract.ts";
import { CallError, type Link, type WindowClient } from "./client.ts";
import { pickLanguage } from "./i18n/words.ts";
import type { Preferences } from "./stores/preferences.ts";
import type { Door } from "./stores/session.ts";

export function createBridgeClient(bridge: Bridge): WindowClient {
  const links = new Set<(link: Link) => void>();
  return {
    async call<K extends CallName>(name: K, params: ParamsOf<K>): Promise<ResultOf<K>> {
      const reply = (await bridge.call(name, params)) as Reply<ResultOf<K>>;
      if (reply.ok) return reply.value;
      throw new CallError(reply.kind, reply.message);
    },
    on: <K extends EventName>(name: K, listener: (payload: Events[K]) => void) =>
      bridge.onEvent((told, payload) => {
        if (told === name) listener(payload as Events[K]);
      }),
    onLink(listener) {
      links.add(listener);
      return () => links.delete(listener);
    },
    open() {
      for (const listener of links) listener("open");
      return () => {};
    },
    retry() {},
  };
}

/** The app has let its own page in already. */
export const innerDoor: Door = {
  takeCode: () => null,
  exchange: async () => null,
  readToken: () => "",
  keepToken() {},
};

/** What the app's menus follow. */
export function lookOf({ theme, language }: Preferences, spoken: readonly string[]): Look {
  const chosen = language === "system" ? pickLanguage(spoken) : language;
  return { theme, language: chosen === "zh-CN" ? "zh-CN" : "en" };
}
