/** What the proxy has seen of Cursor since the start: facts for the doctor, never an address with a query or a header. */
import type { Clock } from "../base/clock.ts";

export interface Seen {
  readonly lastRequestMs: number | null;
  readonly lastRequest: string | null;
  /** Requests by the version of HTTP that they came with. */
  readonly http1: number;
  readonly http2: number;
  /** As the client says it, the newest one. */
  readonly client: string | null;
  /** A client said that it does not trust our certificate. */
  readonly lastDistrustMs: number | null;
  /** A connection to one of Cursor's hosts that brought no request: a client that distrusts without a word. */
  readonly lastSilenceMs: number | null;
  readonly lastTunnelMs: number | null;
  /** The newest failure towards Cursor's servers, in words. */
  readonly lastFailure: { readonly ms: number; readonly message: string } | null;
  /** Calls that this version knows nothing about, and how often; they are passed on. */
  readonly unknown: Readonly<Record<string, number>>;
}

export type Sightings = ReturnType<typeof createSightings>;

const mostUnknown = 500;

export function createSightings(clock: Clock) {
  let seen: Omit<Seen, "unknown"> = {
    lastRequestMs: null,
    lastRequest: null,
    http1: 0,
    http2: 0,
    client: null,
    lastDistrustMs: null,
    lastSilenceMs: null,
    lastTunnelMs: null,
    lastFailure: null,
  };
  const unknown = new Map<string, number>();
  /** Client ports of our own handshakes. */
  const own = new Set<number | undefined>();
  return {
    get: (): Seen => ({ ...seen, unknown: Object.fromEntries(unknown) }),
    request(path: string, version: number, client: string | null): void {
      seen = {
        ...seen,
        lastRequestMs: clock.now(),
        lastRequest: path,
        http1: seen.http1 + (version === 1 ? 1 : 0),
        http2: seen.http2 + (version === 2 ? 1 : 0),
        client: client ?? seen.client,
      };
    },
    unknown(path: string): void {
      if (unknown.has(path) || unknown.size < mostUnknown) unknown.set(path, (unknown.get(path) ?? 0) + 1);
    },
    distrust(): void {
      seen = { ...seen, lastDistrustMs: clock.now() };
    },
    own: (port: number | undefined): void => void own.add(port),
    /** Asked once, when that connection ends. */
    isOwn: (port: number | undefined): boolean => own.delete(port),
    silence(): void {
      seen = { ...seen, lastSilenceMs: clock.now() };
    },
    tunnel(): void {
      seen = { ...seen, lastTunnelMs: clock.now() };
    },
    failure(message: string): void {
      seen = { ...seen, lastFailure: { ms: clock.now(), message } };
    },
  };
}
