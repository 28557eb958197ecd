/**
 * The one error type that crosses layers.
 *
 * The kind says who can mend it, the message what a person should read. Foreign errors (an SDK's, SQLite's, a
 * socket's) become this type in the file that called the foreign code; the original stays as `cause`.
 */
export type ErrorKind =
  | "config" // the user must change a channel or a setting
  | "auth" // a key was refused
  | "limit" // rate, quota or size; may pass by itself
  | "upstream" // the provider answered, badly
  | "network" // nobody answered
  | "protocol" // the client sent what its protocol does not allow
  | "conflict" // somebody else was first
  | "canceled" // the user asked for it
  | "bug"; // an invariant of ours is broken

export class OwnkeyError extends Error {
  override readonly name = "OwnkeyError";
  readonly kind: ErrorKind;
  /** Plain facts for programs (a status, a retry time). Never a secret: it may be logged. */
  readonly details: Readonly<Record<string, string | number | boolean | null>>;

  constructor(
    kind: ErrorKind,
    message: string,
    options: { readonly cause?: unknown; readonly details?: OwnkeyError["details"] } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.details = options.details ?? {};
  }

  /** Passes an OwnkeyError through; anything else becomes `fallback` with the original as cause. */
  static from(reason: unknown, fallback: ErrorKind = "bug"): OwnkeyError {
    if (reason instanceof OwnkeyError) return reason;
    if (!(reason instanceof Error)) return new OwnkeyError(fallback, String(reason), { cause: reason });
    const kind = reason.name === "AbortError" ? "canceled" : fallback;
    return new OwnkeyError(kind, reason.message, { cause: reason });
  }
}
