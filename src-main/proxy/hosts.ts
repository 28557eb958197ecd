/**
 * Which hosts are Cursor's, and which of them may be read.
 *
 *   terminated   the hosts that the agent, its catalogue and the small calls use
 *   login        never: what a person types there is nobody's business, and the certificate could not even name them
 *   the rest     never
 *
 * The list is exact (seen: ENDPOINTS.md, section 1). A new host of Cursor's is tunnelled until it stands here.
 */

const terminated: ReadonlySet<string> = new Set([
  "api2.cursor.sh",
  "api2direct.cursor.sh",
  "api2geo.cursor.sh",
  "api3.cursor.sh",
  "api4.cursor.sh",
  "agent.api5.cursor.sh",
  "agentn.api5.cursor.sh",
  "agentn.global.api5.cursor.sh",
]);

/** Names that a certificate of ours must not be good for, together with all names below them. */
export const loginHosts = ["authentication.cursor.sh", "prod.authentication.cursor.sh"] as const;

/** Domains, with all names below them, beyond which a certificate of ours is good for nothing. */
export const ownDomains = ["cursor.sh", "cursor.com"] as const;

/** `host` as `normalHost` gives it. */
export const isTerminated = (host: string): boolean => terminated.has(host);

/** A host whose servers speak nothing but HTTP/2 (seen: they answer HTTP/1.1 with a bare 464). */
export const speaksHttp2Only = (host: string): boolean => host.endsWith(".api5.cursor.sh");

/** Lower case, and without the dot of a fully qualified name. */
export const normalHost = (host: string): string => host.toLowerCase().replace(/\.$/, "");
