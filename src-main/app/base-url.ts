/**
 * Which addresses the user's own servers may have: a model's, a search's.
 *
 * Rule 1: parsed once and kept as parsed. What parsers read differently (user names, backslashes, other scripts) is
 *         refused, not cleaned.
 * Rule 2: plain http only to this machine: the key and the code would travel readable. To a host of a private network
 *         where the user says so.
 * Rule 3: never to Ownkey itself, to addresses that hand out a machine's credentials, or to Cursor.
 */
import { isIP } from "node:net";
import { kindOf } from "../base/addresses.ts";
import { OwnkeyError } from "../base/errors.ts";

/**
 * The address without a slash at its end. Throws `config` with a sentence. `ownPorts` are those we listen on.
 * `allowsPlainHttp`: the user agreed that a host of a private network is spoken to without encryption.
 */
export function parseBaseUrl(text: string, ownPorts: readonly number[], allowsPlainHttp = false): string {
  const url = parse(text.trim());
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (host.endsWith(".")) throw refused("must not have a dot at the end of its host");
  if (kindOfHost(host) === "denied" || metadataNames.has(host))
    throw refused(`must not point to ${host}: no server of yours is there`);
  if (cursorHosts.test(host)) throw refused("must be your own server's, not one of Cursor's");
  if (isLoopback(host) && ownPorts.includes(portOf(url)))
    throw refused("is Ownkey's own: enter that of the server which Ownkey shall ask");
  const mayBeRead = isLoopback(host) || (allowsPlainHttp && isPrivate(host));
  if (url.protocol === "http:" && !mayBeRead) throw refused(plainHttp(host));
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
  isPrivate(host)
    ? `uses plain http to another machine (${host}): what you send would travel readable. Use https, an SSH tunnel to 127.0.0.1, or say that you accept it (allowsPlainHttp=true)`
    : "must use https: with plain http what you send would travel readable";

const portOf = (url: URL): number => Number(url.port || (url.protocol === "https:" ? 443 : 80));

const kindOfHost = (host: string): ReturnType<typeof kindOf> | null => (isIP(host) ? kindOf(host) : null);

/** Also a name that can be nothing else. */
export const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || kindOfHost(host) === "loopback";

/** A machine of the user's own network, as far as its spelling tells. */
export const isPrivate = (host: string): boolean => kindOfHost(host) === "private";

const metadataNames = new Set(["metadata", "metadata.google.internal", "instance-data"]);

const cursorHosts = /(^|\.)cursor\.(sh|com)$/;
