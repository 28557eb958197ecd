/** A base URL as people paste it -> the address that is called. The window, the test and the run show and use this one. */

/** Paths of the known APIs, which people paste along. */
const ownPaths = /\/(chat\/completions|responses|messages|models(\/[^/]*)?)$/;
const version = /\/v\d+[a-z0-9]*$/;

/**
 * `path` below the base. A base without a path gets `usualVersion`; with `always`, also one whose path does not end
 * in a version. A query stays, a fragment does not.
 */
export function addressOf(baseUrl: string, usualVersion: string, always: boolean, path: string): URL {
  const url = new URL(baseUrl.trim());
  let pathname = url.pathname.replace(/\/+$/, "");
  if (ownPaths.test(pathname)) pathname = pathname.replace(ownPaths, "");
  if (pathname === "" || (always && !version.test(pathname))) pathname += usualVersion;
  url.pathname = pathname + path;
  url.hash = "";
  return url;
}
