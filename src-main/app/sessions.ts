/**
 * Who may use the window's routes: the command line by the contract token, a browser by a session.
 *
 * A session begins with a code that is printed in an address, behind the #, so that it reaches no log and no Referer.
 * It is good once, for 60 s. Only hashes are kept, and only in memory.
 */
import type { Clock } from "../base/clock.ts";
import { hmac, isSameSecret, sha256, toHex } from "../base/hash.ts";
import { newSecret } from "./secrets.ts";

export interface Sessions {
  /** A new one-time code. */
  mint(): string;
  /** The session's token; null when the code is unknown, used or too old. */
  begin(code: string): string | null;
  isKnown(token: string): boolean;
  /** Shows the command line that we are who wrote run.json, before it tells us the token. */
  prove(nonce: string): string;
}

const codeMs = 60_000;
const mostCodes = 16;
const mostSessions = 64;

export function createSessions(clock: Clock, contractToken: string): Sessions {
  /** Hash -> when it ends. */
  const codes = new Map<string, number>();
  const sessions = new Set<string>();
  const keyOf = (secret: string) => toHex(sha256(secret));
  return {
    mint() {
      const code = newSecret(16);
      codes.set(keyOf(code), clock.now() + codeMs);
      dropOldest(codes, mostCodes);
      return code;
    },
    begin(code) {
      const key = keyOf(code);
      const ends = codes.get(key);
      codes.delete(key);
      if (ends === undefined || clock.now() >= ends) return null;
      const token = newSecret(32);
      sessions.add(keyOf(token));
      dropOldest(sessions, mostSessions);
      return token;
    },
    isKnown: (token) => isSameSecret(token, contractToken) || sessions.has(keyOf(token)),
    prove: (nonce) => proofOf(contractToken, nonce),
  };
}

/** Proves knowledge of the token without telling it. Hex. */
export const proofOf = (contractToken: string, nonce: string): string =>
  toHex(hmac(Buffer.from(contractToken), "ownkey challenge ", nonce));

/** Maps and sets keep the order of insertion. */
function dropOldest(kept: Map<string, unknown> | Set<string>, most: number): void {
  for (const key of kept.keys()) if (kept.size > most) kept.delete(key);
}
