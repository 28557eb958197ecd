/**
 * Local keys: what Cursor's client shows us, and the tokens it gets in exchange.
 *
 * A key is `ok_` and 32 random bytes; only its SHA-256 is kept, since 256 random bits need no slow hash. A token is a
 * JWT in shape, because the client reads `exp` from it; nothing is stored for it, so a restart refuses nobody, and
 * since each use looks its key up, a revoked key ends its tokens at once.
 */
import { randomBytes, timingSafeEqual } from "node:crypto";
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import { hmac, sha256 } from "../base/hash.ts";
import type { KeyView } from "../contract/program.ts";
import type { Store } from "../store/store.ts";
import type { LocalKeys as Doorkeeper } from "../transport/direct.ts";
import { newSecret } from "./secrets.ts";
import { createSlowdown, type Slowdown } from "./slowdown.ts";

export interface LocalKeys extends Doorkeeper {
  list(): readonly KeyView[];
  /** The only time the key is told. */
  make(name: string): { readonly id: string; readonly key: string };
  /** Throws `config` when there is no such key. */
  revoke(id: string): void;
  /** Those of our keys and tokens that stand in a text. */
  secretsIn(text: string): readonly string[];
  readonly wrongTries: Slowdown;
}

const lifeSeconds = 60 * 60;
/** Wrong tries a second, before everybody waits. */
const freeTries = 5;
/** How often "last used" is written. */
const touchMs = 60_000;

const header = Buffer.from('{"alg":"HS256","typ":"JWT"}').toString("base64url");
const keyLength = 46;
const tokenShape = new RegExp(`${header}\\.[\\w-]{40,400}\\.[\\w-]{43}`, "y");

export function createLocalKeys(
  rows: Store["localKeys"],
  installationKey: Uint8Array,
  clock: Clock,
): LocalKeys {
  const signingKey = hmac(installationKey, "ownkey local tokens");
  const wrongTries = createSlowdown(clock, freeTries);

  function sign(id: string): string {
    const iat = Math.floor(clock.now() / 1000);
    const claims = { sub: id, iat, exp: iat + lifeSeconds, nonce: newSecret(12) };
    const body = `${header}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}`;
    return `${body}.${signatureOf(signingKey, body)}`;
  }

  /** What a token of ours says, be it expired or not; null when we did not sign it. */
  function claimsOf(token: string): Claims | null {
    const end = token.lastIndexOf(".");
    const body = token.slice(0, Math.max(end, 0));
    if (!body.startsWith(`${header}.`)) return null;
    const signed = sha256(signatureOf(signingKey, body));
    if (!timingSafeEqual(signed, sha256(token.slice(end + 1)))) return null;
    return JSON.parse(Buffer.from(body.slice(header.length + 1), "base64url").toString("utf8")) as Claims;
  }

  const keyOf = (text: string) => rows.findByHash(sha256(text));

  function use(key: { readonly id: string; readonly usedMs: number | null }): string {
    const now = clock.now();
    if (key.usedMs === null || now - key.usedMs >= touchMs) rows.touch(key.id, now);
    return key.id;
  }

  return {
    wrongTries,
    list: rows.list,
    make(name) {
      const key = `ok_${newSecret(32)}`;
      const id = `key_${randomBytes(8).toString("hex")}`;
      rows.insert({ id, name, hash: sha256(key), last4: key.slice(-4), createdMs: clock.now() });
      return { id, key };
    },
    revoke(id) {
      if (!rows.revoke(id, clock.now()))
        throw new OwnkeyError("config", "There is no such local key. `ownkey key list` shows them.");
    },
    exchange(text) {
      const key = keyOf(text);
      if (key) return { token: sign(use(key)) };
      wrongTries.wrong();
      return null;
    },
    principalOf(bearer) {
      const claims = claimsOf(bearer);
      const key = claims ? rows.get(claims.sub) : keyOf(bearer);
      // What we signed is no guess, be it expired or its key revoked.
      if (!key && !claims) wrongTries.wrong();
      if (!key || (claims && clock.now() >= claims.exp * 1000)) return null;
      return principalOf(use(key));
    },
    secretsIn(text) {
      // Hashing each look-alike would let a hostile text keep us busy; few have the last four characters of a key.
      const endings = new Set(rows.list().map(({ last4 }) => last4));
      const keys = placesOf("ok_", text)
        .map((at) => text.slice(at, at + keyLength))
        .filter((found) => endings.has(found.slice(-4)) && keyOf(found));
      const tokens = placesOf(header, text)
        .map((at) => matchAt(tokenShape, text, at))
        .filter(claimsOf);
      return [...new Set([...keys, ...tokens])];
    },
  };
}

/** By the id of a key. */
export const principalOf = (id: string): string => `key:${id}`;

/** Every place, since a secret may begin inside another's look-alike. */
function placesOf(start: string, text: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(start); at >= 0; at = text.indexOf(start, at + 1)) places.push(at);
  return places;
}

function matchAt(sticky: RegExp, text: string, at: number): string {
  sticky.lastIndex = at;
  return sticky.exec(text)?.[0] ?? "";
}

interface Claims {
  readonly sub: string;
  readonly iat: number;
  readonly exp: number;
}

const signatureOf = (key: Uint8Array, body: string): string =>
  Buffer.from(hmac(key, body)).toString("base64url");
