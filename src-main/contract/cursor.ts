/** Cursor's way to the program as the contract carries it: the set-up, the certificate, the doctor's findings. */

export interface SetupTarget {
  /** Cursor's settings.json; null: where this system has it. */
  readonly settings: string | null;
  /** The home folder to look in; null: the user's. */
  readonly home: string | null;
}

export interface SetupPlan {
  /** Cursor's settings, where they really lie. */
  readonly file: string;
  /** There is none yet. */
  readonly isNew: boolean;
  /** null before: the key is not there. */
  readonly changes: readonly {
    readonly key: string;
    readonly before: JsonValue;
    readonly after: JsonValue;
  }[];
  /** The proxy that stands there now, and through which Cursor's traffic would go on. */
  readonly upstreamProxy: string | null;
  /** The file that puts the settings back at the next login after a power cut, gone with them; null: none. */
  readonly loginEntry: string | null;
}

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

export interface SetupState {
  readonly isApplied: boolean;
  readonly file: string | null;
  /** Keys that somebody else has set since. */
  readonly changed: readonly string[];
  /** The user starts Cursor with NODE_EXTRA_CA_CERTS, so that no store need trust the certificate. */
  readonly isTrustedElsewhere: boolean;
  /** As in the plan. */
  readonly loginEntry: string | null;
}

export interface SetupStatus extends SetupState {
  /** When Cursor last came through the proxy, since this program runs; null: not yet. */
  readonly seenMs: number | null;
}

export interface SetupUndone {
  readonly file: string;
  /** Keys that somebody else has set since; they were left as they are. */
  readonly left: readonly string[];
}

/** One link of the chain from Cursor to its servers and to your models. */
export interface Finding {
  readonly link:
    | "program"
    | "proxy"
    | "certificate"
    | "trust"
    | "settings"
    | "upstream"
    | "traffic"
    | "version"
    | "models"
    | "account";
  /** unknown: it cannot be told from here; that is no fault. */
  readonly verdict: "good" | "doubtful" | "broken" | "unknown";
  /** What is so, in one sentence. */
  readonly what: string;
  /** What to do; null: nothing. */
  readonly remedy: string | null;
  /** The sentence for those who say it in another language, with what stands in it. */
  readonly code: FindingCode;
  readonly fill: Readonly<Record<string, string>>;
}

export type FindingCode =
  | "running"
  | "stopped"
  | "answers"
  | "misled"
  | "no_certificate"
  | "bad_certificate"
  | "certificate_due"
  | "certificate_good"
  | "trusted"
  | "partly_trusted"
  | "untrusted"
  | "not_applied"
  | "changed"
  | "applied"
  | "unreadable"
  | "reached"
  | "unreached"
  | "wrong_clock"
  | "offered"
  | "no_models"
  | "distrusted"
  | "silent"
  | "seen"
  | "unsaid"
  | "tried"
  | "untried"
  | "news"
  | "account";

export interface CaView {
  /** broken: there is something, but it is not as it should be, and is not used. */
  readonly state: "none" | "ready" | "broken";
  readonly problem: string | null;
  /** PEM. */
  readonly file: string | null;
  readonly name: string | null;
  readonly sha256: string | null;
  readonly endsMs: number | null;
  /** Time to make a new one. */
  readonly isDue: boolean;
  /** Where it could be trusted on this system. */
  readonly stores: readonly {
    readonly name: TrustStoreName;
    readonly title: string;
    /** null: the store could not be asked. */
    readonly trusted: boolean | null;
    /** What a person would type. */
    readonly manual: readonly string[];
  }[];
}

export type TrustStoreName = "macos" | "windows" | "nss" | "system";
