/**
 * The address that a channel will be asked at, while it is still being typed. Pure.
 *
 * The program has the last word (ChannelView.requestUrl); a test holds this against it.
 */
import type { ChannelFields, ChannelFormat } from "../../../src-main/contract/channels.ts";

const ownPaths = /\/(chat\/completions|responses|messages|models(\/[^/]*)?)$/;
const version = /\/v\d+[a-z0-9]*$/;

interface Way {
  readonly version: string;
  /** Also below a path that names no version. */
  readonly always: boolean;
  readonly path: (model: string) => string;
}

const ways: { readonly [F in ChannelFormat]: Way } = {
  "openai-chat": { version: "/v1", always: false, path: () => "/chat/completions" },
  "openai-responses": { version: "/v1", always: false, path: () => "/responses" },
  anthropic: { version: "/v1", always: true, path: () => "/messages" },
  gemini: {
    version: "/v1beta",
    always: true,
    path: (model) =>
      `/models/${encodeURIComponent(model.replace(/^models\//, ""))}:streamGenerateContent?alt=sse`,
  },
};

/** null: this is no address. */
export function calledUrl({
  baseUrl,
  format,
  model,
}: Pick<ChannelFields, "baseUrl" | "format" | "model">): string | null {
  const url = URL.parse(baseUrl.trim());
  if (!url || !/^https?:$/.test(url.protocol)) return null;
  const way = ways[format];
  let path = url.pathname.replace(/\/+$/, "");
  if (ownPaths.test(path)) path = path.replace(ownPaths, "");
  if (path === "" || (way.always && !version.test(path))) path += way.version;
  return url.origin + path + way.path(model.trim());
}

/** Plain http to another machine: what is sent travels readable. */
export function isReadableByOthers(baseUrl: string): boolean {
  const url = URL.parse(baseUrl.trim());
  return url?.protocol === "http:" && !isThisComputer(url.hostname);
}

export const isLocal = (baseUrl: string): boolean =>
  isThisComputer(URL.parse(baseUrl.trim())?.hostname ?? "");

const isThisComputer = (host: string): boolean =>
  /^(localhost|.+\.localhost|127\.[\d.]+|\[::1\])$/.test(host);
