/**
 * The direct endpoint: everything Cursor's client asks of its server, for local keys only.
 *
 *   a key is exchanged for a token -> the channels are its models -> RunSSE and BidiAppend, or Run, carry the runs
 *
 * What the client asks beside that is answered with an empty message where it needs one (GetTeamRepos: an error there
 * ends the client's process, seen), taken and dropped where it is telemetry, and is unimplemented otherwise.
 */
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { Tap } from "../llm/exchange/tap.ts";
import type { Llm } from "../llm/llm.ts";
import type { Channel } from "../llm/types.ts";
import type { Store } from "../store/store.ts";
import { Attempt } from "./attempt.ts";
import { bidiAppend } from "./bidi.ts";
import { createTools } from "./dialect/tools/carry-out.ts";
import type { CarryOut } from "./run/local-steps.ts";
import { Runners } from "./run/runners.ts";
import type { Watch } from "./run/watch.ts";
import { runSse } from "./run-sse.ts";
import { runStream } from "./run-stream.ts";
import { Sessions } from "./sessions.ts";
import { createSmallCalls } from "./small-calls.ts";
import { createUnary, type Handle } from "./unary.ts";
import { endFlag, toEnvelope } from "./wire/envelope.ts";
import { endOfStream, unaryError } from "./wire/errors.ts";
import type { HttpRequest, HttpResponse } from "./wire/http.ts";

export interface DirectOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly keys: LocalKeys;
  /** Enabled channels in the user's order: what Cursor is offered. */
  channels(): readonly Channel[];
  /** Opens the channel's key. Throws `config` or `auth` with a sentence that says what to do. */
  createLlm(channel: Channel, tap: Tap | null): Llm;
  /** Signs the commit names in checkpoints. */
  readonly installationKey: Uint8Array;
  /** Absolute folders no tool of the agent may touch. */
  readonly protectedPaths: readonly string[];
  /** Ports Ownkey listens on: no call of a tool may lead there. */
  ownPorts(): readonly number[];
  /** How full a channel's context window may be before the history is made shorter, in percent. */
  compactPercent(): number;
  /** The channel that answers small calls; null: they are not served. */
  smallCalls(): string | null;
  /** Takes our own secrets out of what the client's tools return. */
  redact(text: string): string;
  /** Carries out the steps that are Ownkey's own: a page to fetch, a search. */
  readonly local: CarryOut;
  /** Something about a call became visible in the store. */
  onCall(callId: string): void;
  readonly watch?: Watch;
}

/** Local keys and the tokens exchanged for them. */
export interface LocalKeys {
  /** null: this is no local key of ours, or it was revoked. */
  exchange(key: string): { readonly token: string } | null;
  /** The principal of a token ("key:<id>"), or of a bare local key; null when neither. */
  principalOf(bearer: string): string | null;
}

export interface Direct {
  /** `path` is what follows the secret, with its leading slash and without a query. The Host was checked before. */
  handle(request: HttpRequest, response: HttpResponse, path: string): void;
  /** The same for a caller who was let in already, as `principal`. */
  handleFor(principal: string, request: HttpRequest, response: HttpResponse, path: string): void;
  runs(): number;
  /** Whether a run of this conversation is going on. */
  isBusy(conversationId: string): boolean;
  /** Ends the connections of this conversation, or of all: the store is about to change beneath them. */
  forget(conversationId: string | null): void;
  cancel(conversationId: string, reason: string): void;
  /** This principal's key was revoked: its runs end. */
  dismiss(principal: string): void;
  /** Parks every open run and closes its streams. */
  stop(): Promise<void>;
}

export function createDirect(options: DirectOptions): Direct {
  const { clock, keys, channels } = options;
  const tools = createTools(options);
  const runners = new Runners({
    ...options,
    tools,
    channel: (id) => channels().find((channel) => channel.id === id) ?? null,
  });
  const attempt = {
    ...{ ...options, tools, runners },
    ended: (session) => sessions.end(session),
  } satisfies ConstructorParameters<typeof Attempt>[0];
  const sessions: Sessions = new Sessions(
    clock,
    (session, stream) => new Attempt(attempt, session, stream),
    (stream) => endUnbegun(stream.response),
  );

  const routes: Readonly<Record<string, Handle>> = {
    "GET /v1/models": (_, response) => json(response, 200, toModels(channels())),
    "POST /agent.v1.AgentService/RunSSE": (request, response, principal) =>
      runSse(typed(request, "application/connect+proto"), response, principal, sessions),
    "POST /aiserver.v1.BidiService/BidiAppend": (request, response, principal) =>
      bidiAppend(typed(request, "application/proto"), response, principal, sessions),
    "POST /agent.v1.AgentService/Run": (request, response, principal) =>
      runStream(typed(request, "application/connect+proto"), response, principal, sessions),
    ...smallCallsOf(options),
    ...createUnary({ channels, runners, rename: options.store.conversations.rename }),
  };

  async function answer(request: HttpRequest, response: HttpResponse, path: string): Promise<void> {
    const bearer = bearerOf(request);
    if (path === "/auth/exchange_user_api_key") return exchange(keys, bearer, request, response);
    const principal = bearer === null ? null : keys.principalOf(bearer);
    if (principal === null)
      throw new OwnkeyError(
        "auth",
        "This is no local key of Ownkey, or it was revoked. Make one with: ownkey key new",
      );
    return answerFor(principal, request, response, path);
  }

  async function answerFor(principal: string, ...asked: Parameters<Direct["handle"]>): Promise<void> {
    const [request, response, path] = asked;
    const handle = routes[`${request.method} ${path}`];
    if (handle) return handle(request, response, principal);
    if (request.method === "POST" && isEmptyAnswer(path)) return empty(request, response);
    throw new OwnkeyError("protocol", `Ownkey does not serve ${path}.`, {
      details: { code: "unimplemented" },
    });
  }

  return {
    handle(request, response, path) {
      answer(request, response, path).catch((reason) => refuse(request, response, OwnkeyError.from(reason)));
    },
    handleFor(principal, request, response, path) {
      const refused = (reason: unknown) => refuse(request, response, OwnkeyError.from(reason));
      answerFor(principal, request, response, path).catch(refused);
    },
    runs: () => runners.busy,
    isBusy: (id) => runners.isBusy(id),
    forget: (id) => (id === null ? runners.park() : runners.forget(id)),
    cancel: (id, reason) => runners.cancel(id, reason),
    dismiss: (principal) => runners.dismiss(principal, "The local key was revoked."),
    async stop() {
      runners.park();
      sessions.stop();
    },
  };
}

function smallCallsOf(options: DirectOptions): Readonly<Record<string, Handle>> {
  const { channels, smallCalls, store } = options;
  const channel = () => channels().find(({ id }) => id === smallCalls()) ?? null;
  return createSmallCalls({ ...options, channel, save: store.smallCalls.save });
}

/** Calls that want an empty message, and telemetry, which ends here. */
const emptyAnswers = new Set([
  "/aiserver.v1.ServerConfigService/GetServerConfig",
  "/aiserver.v1.DashboardService/GetTeamAdminSettingsOrEmptyIfNotInTeam",
  "/aiserver.v1.DashboardService/GetTeamReposOrEmptyIfNotInTeam",
]);
const isEmptyAnswer = (path: string): boolean =>
  emptyAnswers.has(path) || path.startsWith("/aiserver.v1.AnalyticsService/");

function empty(request: HttpRequest, response: HttpResponse): void {
  request.resume();
  const isJson = request.headers["content-type"]?.startsWith("application/json") ?? false;
  if (isJson) return json(response, 200, {});
  response.writeHead(200, { "content-type": "application/proto", "content-length": 0 }).end();
}

function exchange(
  keys: LocalKeys,
  bearer: string | null,
  request: HttpRequest,
  response: HttpResponse,
): void {
  request.resume();
  const exchanged = bearer === null ? null : keys.exchange(bearer);
  if (!exchanged)
    throw new OwnkeyError(
      "auth",
      "Invalid API key: make one with `ownkey key new` and pass it as CURSOR_API_KEY.",
    );
  json(response, 200, { accessToken: exchanged.token });
}

const toModels = (channels: readonly Channel[]) => ({
  items: channels.map(({ id, name }) => ({ id, displayName: name })),
});

/** Throws what becomes a 415. */
function typed(request: HttpRequest, contentType: string): HttpRequest {
  if (request.headers["content-type"] !== contentType)
    throw new OwnkeyError("protocol", `This call takes ${contentType} only.`, { details: { status: 415 } });
  return request;
}

function bearerOf(request: HttpRequest): string | null {
  const [, token] = /^Bearer (\S+)$/.exec(request.headers.authorization ?? "") ?? [];
  return token ?? null;
}

const details: Readonly<Record<string, number>> = { not_found: 404, unimplemented: 501 };

/** A refusal before the stream has begun. What the client is still sending is drained, so that it can read it. */
function refuse(request: HttpRequest, response: HttpResponse, error: OwnkeyError): void {
  request.resume();
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const { code, status } = error.details;
  const problem = unaryError(error, typeof code === "string" ? code : null);
  const http = typeof status === "number" ? status : (details[String(code)] ?? problem.status);
  response.writeHead(http, { "content-type": "application/json" }).end(problem.body);
}

/** A stream whose run request never came. */
function endUnbegun(response: HttpResponse): void {
  const problem = { kind: "protocol", message: "No run request came for this stream within 30 s." } as const;
  response.writeHead(200, { "content-type": "application/connect+proto" });
  response.end(toEnvelope(Buffer.from(endOfStream(problem)), endFlag));
}

function json(response: HttpResponse, status: number, value: object): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}
