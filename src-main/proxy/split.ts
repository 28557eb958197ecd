/**
 * A run is served here when its model is one of the user's; any other goes to Cursor whole, with all that was read.
 *
 *   append      the first names the model and decides; later ones follow, and wait for it when they overtook it
 *   stream id   RunSSE: waits for what its appends decide
 *   stream      Run: its own first message decides
 */
import { OwnkeyError } from "../base/errors.ts";
import { readAppend, readBeginning, readRequestId, type Said } from "./first-message.ts";
import type { Request } from "./pass.ts";
import { type Ahead, readAhead } from "./read-ahead.ts";
import type { Route, Routes } from "./routes.ts";

export interface Split {
  readonly route: Route;
  readonly replay: Ahead["replay"];
}

export interface SplitOptions {
  readonly routes: Routes;
  /** A model of the user's, be it switched off: it is nothing that Cursor's server could answer for. */
  isOurs(model: string): boolean;
}

/** An append that is larger is told by its header alone. */
const appendBytes = 32 * 1024 * 1024;
const idBytes = 64 * 1024;
const beginningBytes = 64 * 1024 * 1024;
/** The first append follows its stream at once; a client that has none is asking for something else. */
const streamMs = 30_000;
/** Up to 16 appends are on their way at once. */
const overtakenMs = 5_000;

export async function splitAppend(
  request: Request,
  options: SplitOptions,
  gone: AbortSignal,
): Promise<Split> {
  const { isWhole, bytes, replay } = await readAhead(request, (length) => length > appendBytes);
  const append = isWhole ? readAppend(bytes, headerOf(request, "content-encoding")) : null;
  const requestId = append?.requestId ?? headerOf(request, "x-request-id") ?? "";
  return { route: await routeOf(requestId, append?.said ?? null, options, gone), replay };
}

async function routeOf(
  requestId: string,
  said: Said | null,
  { routes, isOurs }: SplitOptions,
  gone: AbortSignal,
): Promise<Route> {
  const known = routes.get(requestId);
  if (known) return known;
  switch (said?.type) {
    case "begin": {
      const route = isOurs(said.model) ? "ours" : "theirs";
      routes.decide(requestId, route);
      return route;
    }
    case "more":
      return routes.wait(requestId, overtakenMs, gone);
    case "foreign":
    case undefined:
      return "theirs";
  }
}

export async function splitStreamId(
  request: Request,
  { routes }: SplitOptions,
  gone: AbortSignal,
): Promise<Split> {
  const { isWhole, bytes, replay } = await readAhead(request, (length) => length > idBytes);
  const id = isWhole ? readRequestId(bytes, headerOf(request, "connect-content-encoding")) : null;
  return { route: id === null ? "theirs" : await routes.wait(id, streamMs, gone), replay };
}

export async function splitStream(request: Request, { isOurs }: SplitOptions): Promise<Split> {
  const encoding = headerOf(request, "connect-content-encoding");
  let wanted = 0;
  let isOurRun = false;
  const { replay } = await readAhead(request, (length, bytes) => {
    if (length < wanted) return false;
    const found = readBeginning(bytes(), encoding);
    if (found.type === "wants") wanted = found.bytes;
    isOurRun = found.type === "begin" && isOurs(found.model);
    return found.type !== "wants" || wanted > beginningBytes;
  });
  return { route: isOurRun ? "ours" : "theirs", replay };
}

function headerOf({ headers }: Request, name: string): string | undefined {
  const value = headers[name];
  if (Array.isArray(value)) throw new OwnkeyError("protocol", `The header ${name} came twice.`);
  return value;
}
