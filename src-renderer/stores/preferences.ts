/** How this window looks and speaks: chosen here, kept by the browser, never sent anywhere. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Language } from "../i18n/words.ts";

export interface Preferences {
  readonly language: "system" | Language;
  readonly theme: "system" | "light" | "dark";
  readonly density: "comfortable" | "compact";
  /** Single letters as shortcuts (j, k, /): some people type by voice, and want them off. */
  readonly letterKeys: boolean;
  /** Where the Inspector shows one call. */
  readonly inspector: "bottom" | "right";
  /** open: shown until the user is done with it. */
  readonly firstRun: "unknown" | "open" | "done";
}

export interface PreferencesStore {
  readonly store: StoreApi<Preferences>;
  set(change: Partial<Preferences>): void;
}

const usual: Preferences = {
  language: "system",
  theme: "system",
  density: "comfortable",
  letterKeys: true,
  inspector: "bottom",
  firstRun: "unknown",
};

const choices: { readonly [K in keyof Preferences]: readonly Preferences[K][] } = {
  language: ["system", "en", "zh-CN", "pseudo"],
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  letterKeys: [true, false],
  inspector: ["bottom", "right"],
  firstRun: ["unknown", "open", "done"],
};

/** What was kept, as far as it is still a choice. */
export function readPreferences(text: string | null): Preferences {
  const kept = parse(text);
  const pick = <K extends keyof Preferences>(key: K): Preferences[K] =>
    choices[key].find((choice) => choice === kept[key]) ?? usual[key];
  return {
    language: pick("language"),
    theme: pick("theme"),
    density: pick("density"),
    letterKeys: pick("letterKeys"),
    inspector: pick("inspector"),
    firstRun: pick("firstRun"),
  };
}

function parse(text: string | null): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text ?? "{}");
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}

export function createPreferences(keeper: {
  readonly read: () => string | null;
  readonly keep: (text: string) => void;
}): PreferencesStore {
  const store = createStore<Preferences>()(() => readPreferences(keeper.read()));
  return {
    store,
    set(change) {
      store.setState(change);
      keeper.keep(JSON.stringify(store.getState()));
    },
  };
}
