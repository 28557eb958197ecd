/**
 * Where a web fetch may go: a judgement of what a name resolved to, without any I/O.
 *
 * A spelling proves nothing (2130706433, 127.1 and a name under nip.io are all this machine), so the resolved
 * addresses are judged, and an address that carries another one (IPv4-mapped, NAT64, 6to4) as the one it carries.
 *
 *   public            may be fetched
 *   private, loopback only where the user approved this very host and port
 *   denied            never: link-local with its metadata services, multicast, "this network", Ownkey's own ports
 *
 * A public name that leads to this machine is refused whatever was approved: the question showed a name, not where
 * it leads. A public name in 198.18.0.0/15 is a VPN's stand-in for an address it keeps to itself, hence public.
 */
import { isIP } from "node:net";
import { kindOf } from "../base/addresses.ts";

type Verdict =
  | { readonly type: "allowed" }
  /** Only when the user approved this host and port. */
  | { readonly type: "ask" }
  | { readonly type: "denied"; readonly reason: string };

const webPorts: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);

/** What can be said before any name is resolved; null: nothing against it. */
export function urlProblem(url: URL): string | null {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `Only http and https can be fetched, not ${url.protocol}`;
  if (url.username || url.password)
    return `${url.host}: an address with a name or password in it is not fetched.`;
  return null;
}

/** `addresses`: all that the url's host resolved to; the worst one counts. `ownPorts`: those Ownkey listens on. */
export function judge(url: URL, addresses: readonly string[], ownPorts: readonly number[]): Verdict {
  const host = hostOf(url);
  const port = portOf(url);
  const found = new Set(addresses.map(kindOf));
  if (found.has("denied") || found.size === 0)
    return denied(`${host} leads to an address that is closed to web fetches (${addresses.join(", ")}).`);
  if (found.has("loopback")) {
    if (ownPorts.includes(port))
      return denied(`Port ${port} of this machine is Ownkey's own and closed to tools.`);
    return isPublicName(host)
      ? denied(
          `${host} leads to this machine (${addresses.join(", ")}); fetch that address by its number if it is meant.`,
        )
      : { type: "ask" };
  }
  const isHidden = found.has("private") || (found.has("stand-in") && !isPublicName(host));
  return isHidden || !webPorts.has(port) ? { type: "ask" } : { type: "allowed" };
}

/** What an approval names: host and port. */
export const placeOf = (url: URL): string => `${hostOf(url)}:${portOf(url)}`;

const denied = (reason: string): Verdict => ({ type: "denied", reason });

/** Lower case, an IPv6 address without brackets, a name without the final dot. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

const portOf = ({ protocol, port }: URL): number => Number(port || (protocol === "https:" ? 443 : 80));

/** Top domains that the public DNS does not serve. */
const localDomains =
  /(?:^|\.)(?:localhost|localdomain|local|lan|home|internal|intranet|corp|private|test|invalid|home\.arpa)$/;

const isPublicName = (host: string): boolean =>
  isIP(host) === 0 && host.includes(".") && !localDomains.test(host);
