/** Whether an address leads back to Ownkey itself, whichever way it is spelled. */

/**
 * `ports`: where we listen, on loopback only. An address within another one counts too, and one of a scheme that we do
 * not know is read as http would read it: best effort, since a server makes of it what it likes.
 */
export const isOwnAddress = (address: string, ports: readonly number[]): boolean =>
  decoded(address)
    .split("://")
    .some((place) => leadsTo(place, ports));

function leadsTo(place: string, ports: readonly number[]): boolean {
  const url = URL.parse(`http://${place}`);
  return url !== null && ports.includes(Number(url.port || 80)) && isLoopback(url.hostname);
}

/** As the URL standard writes hosts: 0x7f.1 and 2130706433 are 127.0.0.1 there. */
const isLoopback = (host: string): boolean =>
  /^127\.|^0\.0\.0\.0$|^\[::1?\]$|^\[::(?:ffff:)?7f[0-9a-f]{2}:|^(?:.*\.)?localhost\.?$/.test(host);

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone % is no escape
  }
}
