/**
 * ownkey:// addresses, and what a second start may ask for.
 *
 * Rule: a link shows something, and never does anything. Web pages can open one without the user's will.
 */

export type Link =
  | { readonly type: "open"; readonly page: string }
  /** An export of channels to be looked at; adding it is the user's to say. */
  | { readonly type: "import"; readonly text: string };

const longest = 8 * 1024;
/** A page the window does not know shows its first one. */
const pagePath = /^\/([a-z]{1,20})\/?$/;

/** `ownkey://open/PAGE` or `ownkey://import?text=TEXT`; null for everything else. */
export function readLink(address: string): Link | null {
  if (Buffer.byteLength(address) > longest || !URL.canParse(address)) return null;
  const { protocol, host, pathname, searchParams, username, port, hash } = new URL(address);
  if (protocol !== "ownkey:" || username !== "" || port !== "" || hash !== "") return null;
  const names = [...searchParams.keys()];
  if (host === "open" && names.length === 0) {
    const page = pagePath.exec(pathname)?.[1];
    return page === undefined ? null : { type: "open", page };
  }
  const text = searchParams.get("text");
  return host === "import" && /^\/?$/.test(pathname) && names.join() === "text" && text
    ? { type: "import", text }
    : null;
}

/** Of a second start's arguments only one counts, and only if it is a link. */
export function linkIn(words: readonly string[]): Link | null {
  const [address, ...more] = words.filter((word) => /^ownkey:/i.test(word));
  return address === undefined || more.length > 0 ? null : readLink(address);
}
