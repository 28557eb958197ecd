/**
 * Which addresses the user's own servers may have: a model's, a search's.
 *
 * Rule 1: parsed once and kept as parsed. What parsers read differently (user names, backslashes, other scripts) is
 *         refused, not cleaned.
 * Rule 2: plain http only to this machine: the key and the code would travel readable.
 * Rule 3: never to Ownkey itself, to addresses that hand out a machine's credentials, or to Cursor.
 */
import { BlockList, isIPv6 } from "node:net";
import { OwnkeyError } from "../base/errors.ts";

/** The address without a slash at its end. Throws `config` with a sentence. `ownPorts` are those we listen on. */
export function parseBaseUrl(text: string, ownPorts: readonly number[]): string {
  const url = parse(text.trim());
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (host.endsWith(".")) throw refused("must not have a dot at the end of its host");
  if (isIn(neverCalled, host) || metadataNames.has(host))
    throw refused(`must not point to ${host}: no server of yours is there`);
  if (cursorHosts.test(host)) throw refused("must be your own server's, not one of Cursor's");
  if (isLoopback(host) && ownPorts.includes(portOf(url)))
    throw refused("is Ownkey's own: enter that of the server which Ownkey shall ask");
  if (url.protocol === "http:" && !isLoopback(host)) throw refused(plainHttp(host));
  return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}

function parse(text: string): URL {
  if (!/^[\x21-\x7e]+$/.test(text)) throw refused("must be written in plain ASCII, without spaces");
  if (text.includes("\\")) throw refused("must not contain a backslash");
  const authority = /^https?:\/\/([^/?#]+)/i.exec(text)?.[1];
  if (authority === undefined) throw refused("must begin with https:// and a host");
  if (authority.includes("@"))
    throw refused("must not contain a user name or password: the key has its own field");
  if (/[?#]/.test(text)) throw refused("must end before any ? or #");
  const url = URL.parse(text);
  if (!url) throw refused("is not a valid web address");
  return url;
}

const refused = (why: string) => new OwnkeyError("config", `The address ${why}.`);

const plainHttp = (host: string) =>
  isIn(privateNetworks, host)
    ? `uses plain http to another machine (${host}): what you send would travel readable. Use https, or an SSH tunnel to 127.0.0.1`
    : "must use https: with plain http what you send would travel readable";

const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));

const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || isIn(loopback, host);

const isIn = (list: BlockList, host: string): boolean => list.check(host, isIPv6(host) ? "ipv6" : "ipv4");

/** Each also in the forms that carry an IPv4 address inside IPv6; ::ffff: is known to BlockList. */
const loopback = listOf(["127.0.0.0/8", "::1/128", "64:ff9b::7f00:0/104"]);

const neverCalled = listOf([
  "0.0.0.0/8",
  "::/128",
  "169.254.0.0/16", // link-local, and the metadata service of most clouds
  "fe80::/10",
  "64:ff9b::a9fe:0/112",
  "fd00:ec2::254/128", // AWS
  "100.100.100.200/32", // Alibaba
  "168.63.129.16/32", // Azure
  "224.0.0.0/3", // multicast, reserved, broadcast
  "ff00::/8",
]);

const metadataNames = new Set(["metadata", "metadata.google.internal", "instance-data"]);

const cursorHosts = /(^|\.)cursor\.(sh|com)$/;

const privateNetworks = listOf([
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "100.64.0.0/10",
  "fc00::/7",
]);

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), isIPv6(address) ? "ipv6" : "ipv4");
  }
  return list;
}
