/**
 * How this window looks and speaks. The program keeps it, for every window; the browser keeps a copy, so that the first
 * thing drawn, and a window without a program, looks as chosen.
 */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { Client } from "../../src-main/contract/contract.ts";
import type { Settings, WindowSettings } from "../../src-main/contract/program.ts";
import type { Language } from "../i18n/words.ts";

export interface Preferences extends Omit<WindowSettings, "language"> {
  /** pseudo: for tests; the program does not know it. */
  readonly language: "system" | Language;
  /** The program was asked: until then what is not chosen here may be chosen there. */
  readonly isKnown: boolean;
}

export interface PreferencesStore {
  readonly store: StoreApi<Preferences>;
  /** Seen at once, kept by the program. */
  set(change: Partial<WindowSettings>): void;
  /** Asks this program, and tells it every change from now on; never rejects. */
  load(client: Client): Promise<void>;
  hear(settings: Settings): void;
}

const usual: Preferences = {
  language: "system",
  theme: "system",
  density: "comfortable",
  letterKeys: true,
  inspector: "bottom",
  firstRun: "unknown",
  firstStep: "",
  filters: [],
  isKnown: false,
};

const choices = {
  language: ["system", "en", "zh-CN", "pseudo"],
  theme: ["system", "light", "dark"],
  density: ["comfortable", "compact"],
  letterKeys: [true, false],
  inspector: ["bottom", "right"],
  firstRun: ["unknown", "open", "done"],
} as const;

/** What was kept, as far as it is still a choice. */
export function readPreferences(text: string | null): Preferences {
  const kept = parse(text);
  const pick = <K extends keyof typeof choices>(key: K): Preferences[K] => {
    const known: readonly unknown[] = choices[key];
    return known.includes(kept[key]) ? (kept[key] as Preferences[K]) : usual[key];
  };
  return {
    ...usual,
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
  let program: Client | null = null;
  const show = (change: Partial<Preferences>) => {
    store.setState(change);
    keeper.keep(JSON.stringify(store.getState()));
  };
  const hear: PreferencesStore["hear"] = (settings) => show({ ...settings.window, isKnown: true });
  return {
    store,
    hear,
    set(change) {
      show(change);
      const { isKnown: _known, language, ...rest } = store.getState();
      if (language === "pseudo") return;
      // Without an answer the copy of the browser stays, and the next change tells all of it.
      program?.call("settings.set", { window: { ...rest, language } }).catch(() => {});
    },
    async load(client) {
      program = client;
      await client.call("settings.get", null).then(hear, () => show({ isKnown: true }));
    },
  };
}
