/**
 * Whose runs are served here: callers whose bearer Cursor's own server has accepted.
 *
 * Loopback is open to everybody, and the catalogue tells the ids of our models; so knowing an id opens nothing. Only
 * the SHA-256 of a bearer is kept, beyond a restart too, so that a server that is down does not lock its user out. A
 * bearer that is refused upstream is forgotten.
 */
import { sha256, toHex } from "../base/hash.ts";

export interface KnownCallers {
  isKnown(bearer: string): boolean;
  /** Cursor's server answered `status` to this bearer on `path`. */
  answered(bearer: string, path: string, status: number): void;
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
  return {
    isKnown: (bearer) => hashes.has(hashOf(bearer)),
    answered(bearer, path, status) {
      const hash = hashOf(bearer);
      const isAccepted = status >= 200 && status < 300 && proving.test(path);
      if (isAccepted === hashes.has(hash) || (!isAccepted && status !== 401)) return;
      if (isAccepted) hashes.add(hash);
      else hashes.delete(hash);
      for (const oldest of hashes) if (hashes.size > most) hashes.delete(oldest);
      keep([...hashes]);
    },
  };
}
