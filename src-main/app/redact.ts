/**
 * Takes our own secrets out of what tools return, before it is committed and sent to a model.
 *
 * Rule: exact occurrences only, replaced by the same words each time, so that history stays byte-stable.
 */

export interface Redactor {
  /** Shorter than 8 characters is left alone: it would tear ordinary text to pieces. */
  addText(secret: string): void;
  /** As hex and base64, the ways in which the bytes of a key file come back from a tool. */
  addBytes(secret: Uint8Array): void;
  redact(text: string): string;
}

export const redacted = "[redacted by Ownkey]";

const shortest = 8;

/** `secretsIn` finds those whose plain value is not kept: local keys and their tokens. */
export function createRedactor(secretsIn: (text: string) => readonly string[]): Redactor {
  /** Longest first: one secret may contain another. */
  let known: readonly string[] = [];

  function addText(secret: string): void {
    if (secret.length < shortest || known.includes(secret)) return;
    known = [...known, secret].sort((a, b) => b.length - a.length);
  }

  return {
    addText,
    addBytes(secret) {
      const bytes = Buffer.from(secret);
      const hex = bytes.toString("hex");
      const base64 = bytes.toString("base64");
      for (const text of [
        hex,
        hex.toUpperCase(),
        base64,
        base64.replace(/=+$/, ""),
        bytes.toString("base64url"),
      ])
        addText(text);
    },
    redact: (text) =>
      [...known, ...secretsIn(text)].reduce((rest, secret) => rest.replaceAll(secret, redacted), text),
  };
}
