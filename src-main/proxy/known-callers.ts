/**
 * Whose runs are served here: callers whose bearer Cursor's own server has accepted.
 *
 * Loopback is open to everybody, and the catalogue tells the ids of our models; so knowing an id opens nothing. Only
 * the SHA-256 of a bearer is kept, beyond a restart too, so that a server that is down does not lock its user out. A
 * bearer that is refused upstream is forgotten. One that the server gives out in our sight is known from then on: the
 * first call that a client makes with it may be the one that counts (seen: GetServerConfig, once a process).
 */
import { sha256, toHex } from "../base/hash.ts";
import { isObject, parseJson } from "../base/json.ts";

export interface KnownCallers {
  isKnown(bearer: string): boolean;
  /** Cursor's server answered `status` to this bearer on `path`. */
  answered(bearer: string, path: string, status: number): void;
  /** Cursor's server has just given out this bearer. */
  issued(bearer: string): void;
}

const most = 64;

/** Calls that nobody gets an answer to without an account. */
const proving =
  /^\/(aiserver\.v1\.(DashboardService|AuthService)\/|auth\/(full_stripe_profile|stripe_profile|has_valid_payment_method|exchange_user_api_key)$|v1\/models$|agent\.v1\.AgentService\/(GetUsableModels|GetDefaultModelForCli)$)/;

/** `kept`: hashes of an earlier start, oldest first; `keep` is told of each change. */
export function createKnownCallers(
  kept: readonly string[],
  keep: (hashes: readonly string[]) => void,
): KnownCallers {
  const hashes = new Set(kept);
  const hashOf = (bearer: string) => toHex(sha256("ownkey known caller", bearer));
  function add(hash: string): void {
    hashes.add(hash);
    for (const oldest of hashes) if (hashes.size > most) hashes.delete(oldest);
    keep([...hashes]);
  }
  return {
    isKnown: (bearer) => hashes.has(hashOf(bearer)),
    answered(bearer, path, status) {
      const hash = hashOf(bearer);
      const isAccepted = status >= 200 && status < 300 && proving.test(path);
      if (isAccepted && !hashes.has(hash)) add(hash);
      if (status === 401 && hashes.delete(hash)) keep([...hashes]);
    },
    issued(bearer) {
      if (!hashes.has(hashOf(bearer))) add(hashOf(bearer));
    },
  };
}

/** Calls whose answer is JSON with a bearer in it. */
export const issues = (path: string): boolean =>
  /^\/(auth\/(exchange_user_api_key|poll|token)|oauth\/token)$/.test(path);

/** The bearers in such an answer. */
export function bearersIn(answer: string): string[] {
  try {
    const json = parseJson(answer);
    const named = isObject(json) ? [json.accessToken, json.access_token] : [];
    return named.filter((each) => typeof each === "string" && each !== "") as string[];
  } catch {
    return [];
  }
}
