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
import { isIP, isIPv4 } from "node:net";

type AddressKind = "public" | "private" | "loopback" | "stand-in" | "denied";

type Verdict =
  | { readonly type: "allowed" }
  /** Only when the user approved this host and port. */
  | { readonly type: "ask" }
  | { readonly type: "denied"; readonly reason: string };

/** IPv4 is written as such and lives in ::ffff:0:0/96. The first row that fits holds. */
const kinds: readonly (readonly [network: string, kind: AddressKind])[] = [
  ["0.0.0.0/8", "denied"],
  ["10.0.0.0/8", "private"],
  ["100.100.100.200/32", "denied"], // metadata (Alibaba)
  ["100.64.0.0/10", "private"],
  ["127.0.0.0/8", "loopback"],
  ["168.63.129.16/32", "denied"], // metadata (Azure)
  ["169.254.0.0/16", "denied"],
  ["172.16.0.0/12", "private"],
  ["192.0.0.192/32", "denied"], // metadata (Oracle)
  ["192.0.0.0/24", "private"],
  ["192.0.2.0/24", "private"], // this and the next two: documentation
  ["198.51.100.0/24", "private"],
  ["203.0.113.0/24", "private"],
  ["192.168.0.0/16", "private"],
  ["198.18.0.0/15", "stand-in"],
  ["224.0.0.0/4", "denied"],
  ["240.0.0.0/4", "denied"],
  ["0.0.0.0/0", "public"],
  ["::/128", "denied"],
  ["::1/128", "loopback"],
  ["fd00:ec2::254/128", "denied"], // metadata (Amazon)
  ["fd20:ce::254/128", "denied"], // metadata (Google)
  ["fe80::/10", "denied"],
  ["ff00::/8", "denied"],
  ["2001::/23", "private"], // protocol assignments, Teredo among them
  ["2001:db8::/32", "private"],
  ["2000::/3", "public"],
  ["::/0", "private"],
];

/** Networks whose addresses carry an IPv4 address, and how many bits stand behind it. */
const carriers: readonly (readonly [network: string, shift: bigint])[] = [
  ["::/96", 0n],
  ["64:ff9b::/96", 0n],
  ["2002::/16", 80n],
];

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

/** Anything that is no address counts as denied. */
export function kindOf(address: string): AddressKind {
  const bits = bitsOf(address);
  return bits === null ? "denied" : kindOfBits(carried(bits));
}

const denied = (reason: string): Verdict => ({ type: "denied", reason });

/** Lower case, an IPv6 address without brackets, a name without the final dot. */
const hostOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");

const portOf = ({ protocol, port }: URL): number => Number(port || (protocol === "https:" ? 443 : 80));

/** Top domains that the public DNS does not serve. */
const localDomains =
  /(?:^|\.)(?:localhost|localdomain|local|lan|home|internal|intranet|corp|private|test|invalid|home\.arpa)$/;

const isPublicName = (host: string): boolean =>
  isIP(host) === 0 && host.includes(".") && !localDomains.test(host);

// ---- addresses as numbers ------------------------------------------------------------------------------

const mapped = 0xffffn << 32n;
const allBits = 128n;

/** 128 bits; null when this is no address. */
function bitsOf(address: string): bigint | null {
  const plain = address.replace(/%.*$/, ""); // an interface's name may follow
  if (isIPv4(plain)) return mapped | toNumber(plain.split(".").map(Number), 8n);
  return isIP(plain) === 6 ? toNumber(groupsOf(plain), 16n) : null;
}

/** The eight groups of a valid IPv6 address. */
function groupsOf(address: string): number[] {
  const dotted = /(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const [a, b, c, d] = (dotted?.slice(1) ?? []).map(Number);
  const tail = a === undefined ? null : [a * 256 + (b ?? 0), (c ?? 0) * 256 + (d ?? 0)];
  const hex = tail
    ? address.slice(0, dotted?.index) + tail.map((group) => group.toString(16)).join(":")
    : address;
  const [front = [], back] = hex
    .split("::")
    .map((side) => (side === "" ? [] : side.split(":").map((group) => Number.parseInt(group, 16))));
  if (!back) return front;
  return [...front, ...new Array<number>(8 - front.length - back.length).fill(0), ...back];
}

const toNumber = (parts: readonly number[], width: bigint): bigint =>
  parts.reduce((sum, part) => (sum << width) | BigInt(part), 0n);

interface Network {
  readonly first: bigint;
  /** Bits behind the prefix. */
  readonly free: bigint;
}

function networkOf(text: string): Network {
  const [address = "", length] = text.split("/");
  const first = bitsOf(address) ?? 0n;
  return { first, free: (isIPv4(address) ? 32n : allBits) - BigInt(length ?? 0) };
}

const contains = ({ first, free }: Network, bits: bigint): boolean => first >> free === bits >> free;

const networks = kinds.map(([network, kind]) => ({ network: networkOf(network), kind }));
const carrying = carriers.map(([network, shift]) => ({ network: networkOf(network), shift }));

/** The address that is meant: the carried one, where there is one. :: and ::1 are themselves. */
function carried(bits: bigint): bigint {
  if (bits <= 1n) return bits;
  const carrier = carrying.find(({ network }) => contains(network, bits));
  return carrier ? mapped | ((bits >> carrier.shift) & 0xffffffffn) : bits;
}

const kindOfBits = (bits: bigint): AddressKind =>
  networks.find(({ network }) => contains(network, bits))?.kind ?? "denied";
