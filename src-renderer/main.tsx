/** The window's entry: ties the page (address, storage, languages) to the stores and shows them. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import type { Bridge } from "../src-main/contract/contract.ts";
import { createBridgeClient, innerDoor, lookOf } from "./bridge.ts";
import { createHttpClient, post } from "./client.ts";
import { App } from "./frame/app.tsx";
import { Appearance } from "./frame/appearance.tsx";
import { createPreferences } from "./stores/preferences.ts";
import { createRoute } from "./stores/route.ts";
import { createSession, type Door } from "./stores/session.ts";
import { createStores } from "./stores/stores.ts";
import "./styles/base.css";

/** In the desktop app; a browser has none. */
const { ownkey: bridge } = window as { readonly ownkey?: Bridge };
const tokenItem = "token";
const { origin } = location;
const request: typeof fetch = (input, init) => fetch(input, init);

/** A hash that is no route (#/...) is a one-time code. */
const codeOf = (hash: string): string | null => (/^#(?!\/)./.test(hash) ? hash.slice(1) : null);

const door: Door = {
  takeCode() {
    const code = codeOf(location.hash);
    if (code !== null) history.replaceState(null, "", location.pathname);
    return code;
  },
  async exchange(code) {
    const response = await post(request, `${origin}/session`, { code });
    if (response.status >= 500) throw new Error(`Ownkey answered ${response.status}.`);
    if (!response.ok) return null;
    const { token } = (await response.json()) as { token: string };
    return token;
  },
  readToken: () => sessionStorage.getItem(tokenItem),
  keepToken(token) {
    if (token === null) sessionStorage.removeItem(tokenItem);
    else sessionStorage.setItem(tokenItem, token);
  },
};

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

const session = createSession(bridge ? innerDoor : door);
void session.start();

const preferencesItem = "preferences";
const preferences = createPreferences({
  read: () => localStorage.getItem(preferencesItem),
  keep: (text) => localStorage.setItem(preferencesItem, text),
});

const connect = (token: string) =>
  createStores(
    bridge ? createBridgeClient(bridge) : createHttpClient({ origin, token, fetch: request, sleep }),
    Date.now,
    session.end,
    preferences,
  );

// A new one-time address opened in this tab changes the hash alone, and the page would stay as it is.
addEventListener("hashchange", () => {
  if (codeOf(location.hash) !== null) location.reload();
});

const route = createRoute({
  hash: () => location.hash,
  go(hash) {
    location.hash = hash;
  },
  listen: (listener) => addEventListener("hashchange", listener),
});

if (bridge) {
  const tellLook = () => bridge.look(lookOf(preferences.store.getState(), navigator.languages));
  preferences.store.subscribe(tellLook);
  tellLook();
}

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no #root");
createRoot(root).render(
  <StrictMode>
    <Appearance preferences={preferences}>
      <App session={session} connect={connect} route={route} preferences={preferences} />
    </Appearance>
  </StrictMode>,
);
