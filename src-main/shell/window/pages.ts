/** app://ownkey: the built window, from a map of its files. A path that is no key of the map reads nothing. */
import { contentSecurityPolicy, type Page } from "../../app/pages.ts";
import type { ProtocolApi } from "../electron.ts";

export const origin = "app://ownkey";

/** Before the app is ready. A standard scheme has an origin, so that 'self' means it. */
export function registerScheme(protocol: Pick<ProtocolApi, "registerSchemesAsPrivileged">): void {
  const privileges = { standard: true, secure: true, supportFetchAPI: true };
  protocol.registerSchemesAsPrivileged([{ scheme: "app", privileges }]);
}

/** After the app is ready. */
export function servePages(protocol: Pick<ProtocolApi, "handle">, pages: ReadonlyMap<string, Page>): void {
  protocol.handle("app", (request) => answer(pages, request));
}

function answer(
  pages: ReadonlyMap<string, Page>,
  { url, method }: Pick<Request, "url" | "method">,
): Response {
  const page = method === "GET" ? pages.get(pathOf(url) ?? "") : undefined;
  if (!page) return new Response("Not found.", { status: 404 });
  return new Response(new Uint8Array(page.read()), {
    headers: {
      "content-type": page.type,
      "content-security-policy": contentSecurityPolicy,
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
    },
  });
}

/** Decoded; null when it is not ours. */
function pathOf(url: string): string | null {
  try {
    const { protocol, host, pathname } = new URL(url);
    return protocol === "app:" && host === "ownkey" ? decodeURIComponent(pathname) : null;
  } catch {
    return null;
  }
}
