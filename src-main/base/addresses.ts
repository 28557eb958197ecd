/**
 * What an address is: this machine, a network of the user's, the world, or one that nobody shall ever be led to.
 *
 * A spelling proves nothing (2130706433, 127.1 and a name under nip.io are all this machine), so addresses are judged
 * as numbers, and one that carries another (IPv4-mapped, NAT64, 6to4) as the one it carries.
 */
import { isIP, isIPv4 } from "node:net";

/** `stand-in`: 198.18.0.0/15, which a VPN puts in the place of an address it keeps to itself. */
export type AddressKind = "public" | "private" | "loopback" | "stand-in" | "denied";

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

/** Anything that is no address counts as denied. */
export function kindOf(address: string): AddressKind {
  const bits = bitsOf(address);
  return bits === null ? "denied" : kindOfBits(carried(bits));
}

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
