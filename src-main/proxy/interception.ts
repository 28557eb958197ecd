/**
 * Where TLS ends: one TLS server a host, which never listens; connections are handed to it.
 *
 * Rule: the host of CONNECT, the name in the handshake and the certificate are one and the same. A client that names
 * another host, or none, gets no certificate.
 */
import type { Socket } from "node:net";
import { createSecureContext, createServer, type SecureContext, type Server } from "node:tls";
import type { Authority } from "./authority.ts";
import { normalHost } from "./hosts.ts";
import type { ProxyOptions } from "./server.ts";

/** Node's clients look at the certificate after the handshake, and just leave (seen). */
const silenceMs = 5_000;
/** A leaf is made anew when this much of its time is left. */
const spareMs = 24 * 60 * 60 * 1000;

interface Terminus {
  readonly server: Server;
  readonly authority: Authority;
}

export function createInterception({ clock, sightings, take, patienceMs }: ProxyOptions) {
  const byHost = new Map<string, Terminus>();

  function terminusOf(host: string, authority: Authority): Terminus {
    const known = byHost.get(host);
    if (known?.authority.sha256 === authority.sha256) return known;
    const contextOf = createContexts(host, authority);
    const server = createServer(
      {
        SNICallback: (name, done) =>
          normalHost(name) === host
            ? done(null, contextOf(clock.now()))
            : done(new Error(`${name} is not ${host}`)),
        ALPNProtocols: ["h2", "http/1.1"],
        minVersion: "TLSv1.2",
        handshakeTimeout: patienceMs,
      },
      take,
    );
    server.on("tlsClientError", (failure: NodeJS.ErrnoException, socket) => {
      socket.destroy(); // node leaves open who has not begun its handshake in time (seen)
      if (distrustful.test(failure.code ?? "")) sightings.distrust();
    });
    const made = { server, authority };
    byHost.set(host, made);
    return made;
  }

  return (socket: Socket, host: string, authority: Authority): void => {
    const { server } = terminusOf(host, authority);
    const { http1, http2 } = sightings.get();
    const look = () => {
      callOff();
      socket.off("close", look);
      const now = sightings.get();
      const isSilent = now.http1 + now.http2 === http1 + http2;
      if (isSilent && !sightings.isOwn(socket.remotePort)) sightings.silence();
    };
    const callOff = clock.after(silenceMs, look);
    socket.once("close", look);
    // Node's proxies keep half-closed connections; over HTTP/2 a client that has left would never be missed.
    socket.allowHalfOpen = false;
    server.emit("connection", socket);
  };
}

/** Alerts by which a client says that it knows nobody who signed, or does not take what was signed. */
const distrustful = /ALERT_(UNKNOWN_CA|CERTIFICATE_UNKNOWN|BAD_CERTIFICATE)/;

function createContexts(host: string, authority: Authority): (nowMs: number) => SecureContext {
  let made: { readonly context: SecureContext; readonly untilMs: number } | null = null;
  return (nowMs) => {
    if (!made || nowMs > made.untilMs - spareMs) {
      const { chain, key, notAfterMs } = authority.issue(host, nowMs);
      made = { context: createSecureContext({ cert: chain, key }), untilMs: notAfterMs };
    }
    return made.context;
  };
}
