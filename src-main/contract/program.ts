/** The program itself as the contract carries it: its state, local keys, network, search, settings. */

export type SearchProvider = "brave" | "tavily" | "exa" | "searxng";

export interface SearchView {
  /** null: none is chosen, and nothing is searched. */
  readonly provider: SearchProvider | null;
  /** Of the user's own instance; null for the others, whose address is known. */
  readonly address: string | null;
  /** none: none was given. unreadable: it was sealed elsewhere, or for another provider; enter it again. */
  readonly key: "none" | "set" | "unreadable";
}

export type SetSearch =
  | { readonly provider: null }
  | { readonly provider: "searxng"; readonly address: string }
  /** Without a key the one of this provider is kept. */
  | { readonly provider: Exclude<SearchProvider, "searxng">; readonly key?: string };

export interface SearchHit {
  readonly title: string;
  readonly url: string;
}

export interface KeyView {
  readonly id: string;
  readonly name: string;
  readonly last4: string;
  readonly createdMs: number;
  readonly usedMs: number | null;
}

export interface Status {
  readonly version: string;
  readonly pid: number;
  readonly startedMs: number;
  readonly dataDir: string;
  readonly port: number | null;
  /** Where Cursor reaches its servers through Ownkey. */
  readonly proxyPort: number | null;
  /** Cursor's settings point to it. */
  readonly isSetUp: boolean;
  /** Everything is passed through, nothing is served. */
  readonly isPaused: boolean;
  readonly channels: { readonly enabled: number; readonly total: number };
  readonly keys: number;
  readonly runs: number;
  /** How provider keys are sealed here. */
  readonly sealer: "os" | "key-file";
  /** A newer version that is out, as far as it was asked. */
  readonly newer: string | null;
}

export interface UpdatesView {
  /** This build knows where its releases are. */
  readonly isKnown: boolean;
  readonly checkedMs: number | null;
  readonly newer: UpdateView | null;
}

export interface UpdateView {
  readonly version: string;
  /** Text from elsewhere, to be shown as it is. */
  readonly notes: string;
  /** Where it can be fetched from. */
  readonly page: string;
}

/** What the system does for the desktop app. */
export interface DesktopView {
  /** It starts at login, without its window. */
  readonly autostart: boolean;
  /** Why it was refused just now: others could replace the program, or it lies where things do not stay. */
  readonly refused: "open" | "temporary" | null;
}

/** The ways out of this machine: for channels that say `app`, and for Cursor's own traffic. */
export interface NetworkView {
  /** system, none, or a proxy's address. */
  readonly proxy: string;
  readonly hasPassword: boolean;
  /** What the system says; null: no proxy. */
  readonly systemProxy: string | null;
  readonly cursor: {
    /** `system` is: as before Ownkey. */
    readonly proxy: string;
    readonly hasPassword: boolean;
    /** The proxy that stood in Cursor's settings before Ownkey; null: none, or Ownkey is not set up. */
    readonly before: string | null;
  };
}

export interface SetNetwork {
  /** Left out: channels. */
  readonly for?: "channels" | "cursor";
  readonly proxy: string;
  /** `user:password`; null: none. Left out: kept while the proxy stays the same. */
  readonly credentials?: string | null;
}

/** What the user may choose; app/settings.ts has the defaults. */
export interface Settings {
  /** Conversations untouched for longer are deleted, once a day. null: kept until the user deletes them. */
  readonly keepDays: number | null;
  readonly dailyBackups: boolean;
  /** How full a channel's context window may be before the history is made shorter. */
  readonly compactPercent: number;
  /** The channel that writes commit messages and names chats for Cursor; null: Cursor's own models do. */
  readonly smallCalls: string | null;
  /** Ask once a day whether there is a newer version. */
  readonly updates: boolean;
  readonly window: WindowSettings;
}

/** How the window looks and speaks, and how far people came in it. */
export interface WindowSettings {
  readonly language: "system" | "en" | "zh-CN";
  readonly theme: "system" | "light" | "dark";
  readonly density: "comfortable" | "compact";
  /** Single letters as shortcuts (j, k, /): some people type by voice, and want them off. */
  readonly letterKeys: boolean;
  /** Where the Inspector shows one call. */
  readonly inspector: "bottom" | "right";
  /** open: shown until the user is done with it. */
  readonly firstRun: "unknown" | "open" | "done";
  /** The step of the first run that is open. */
  readonly firstStep: string;
  /** Of the Inspector. */
  readonly filters: readonly string[];
}
