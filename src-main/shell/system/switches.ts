/** What the packed app does not start with: switches that let others look in, and variables that weaken it. */

/** Each opens the program to whoever can start it with arguments: a debugger, foreign code, a way round the sandbox. */
const refused = [
  "disable-web-security",
  "host-resolver-rules",
  "host-rules",
  "ignore-certificate-errors",
  "js-flags",
  "load-extension",
  "no-sandbox",
  "proxy-pac-url",
  "proxy-server",
  "renderer-cmd-prefix",
  "ssl-key-log-file",
  "unsafely-treat-insecure-origin-as-secure",
  "user-data-dir",
];
/** Every switch that begins so. */
const refusedFamilies = ["inspect", "remote-", "disable-site-isolation", "disable-features"];

/** The first switch of the command line that is refused, as it was written; null when there is none. */
export function refusedSwitch(words: readonly string[]): string | null {
  const isRefused = (word: string): boolean => {
    const name = /^(?:--?|\/)([^=]+)/.exec(word)?.[1]?.toLowerCase().replaceAll("_", "-");
    if (name === undefined) return false;
    return refused.includes(name) || refusedFamilies.some((family) => name.startsWith(family));
  };
  return words.find(isRefused) ?? null;
}
