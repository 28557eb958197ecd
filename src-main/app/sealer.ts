/** How a provider key is sealed before it is stored: by the system's key store, or by a key file of ours. */

export interface Sealer {
  readonly kind: "os" | "key-file";
  /** `about` is not secret and not stored in the result: the same words must be said again to open it. */
  seal(plain: string, about: string): Uint8Array;
  /** The key, so that it can be kept out of what the agent reads. */
  readonly keyBytes: Uint8Array;
  /** Throws when the bytes were sealed elsewhere, changed, or are about something else. */
  open(sealed: Uint8Array, about: string): string;
  /** What sealed here before: it still opens its own, and what it opened is sealed anew by this one. */
  readonly earlier?: Sealer;
}
