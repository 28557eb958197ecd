/** What a page in the window must not: go elsewhere, open windows, embed, ask for permissions, download. */
import type { ContentsApi, OpenApi, SessionApi } from "../electron.ts";
import { origin } from "./pages.ts";

export function guardSession(session: SessionApi): void {
  session.setPermissionRequestHandler((_contents, permission, allow, { requestingUrl }) =>
    allow(isAllowed(permission, originIn(requestingUrl))),
  );
  session.setPermissionCheckHandler((_contents, permission, asking) =>
    isAllowed(permission, originIn(asking)),
  );
  session.setDevicePermissionHandler(() => false);
  session.on("will-download", (event, item) => {
    // What the page itself has made, an export, is the user's to save; nothing comes from elsewhere.
    if (!item.getURL().startsWith(`blob:${origin}/`)) event.preventDefault();
  });
}

/** The copy buttons. */
const isAllowed = (permission: string, asking: string | null): boolean =>
  permission === "clipboard-sanitized-write" && asking === origin;

export function guardContents(contents: ContentsApi, open: Pick<OpenApi, "openExternal">): void {
  contents.on("will-navigate", (event) => {
    if (originIn(event.url) !== origin) event.preventDefault();
  });
  contents.on("will-frame-navigate", (event) => {
    if (!event.isMainFrame || originIn(event.url) !== origin) event.preventDefault();
  });
  contents.on("will-attach-webview", (event) => event.preventDefault());
  contents.setWindowOpenHandler(({ url }) => {
    // The page asks before it opens a link; a browser shows it, not this window.
    if (URL.canParse(url) && new URL(url).protocol === "https:") void open.openExternal(url);
    return { action: "deny" };
  });
}

/** Of an own scheme URL says "null". */
function originIn(url: string): string | null {
  if (!URL.canParse(url)) return null;
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}`;
}
