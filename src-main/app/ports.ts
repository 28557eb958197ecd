/** The ports that were taken last come first, so that addresses stay what they were. */
import type { Store } from "../store/store.ts";

const portsTried = 100;
/** The usual port, and where the one that was taken last is remembered. */
export const direct = { setting: "port", first: 7788 };
export const proxied = { setting: "proxyPort", first: 7888 };

type Usual = typeof direct;

export function rememberedPort(store: Store, { setting }: Usual): number | null {
  const port = store.settings.get(setting);
  return typeof port === "number" ? port : null;
}

/** In this order. What was used last time comes first; when it is taken, the program moves on. */
export function portsFor(store: Store, wanted: number | null, usual: Usual): readonly number[] {
  if (wanted !== null) return [wanted];
  const remembered = rememberedPort(store, usual);
  const row = Array.from({ length: portsTried }, (_, index) => usual.first + index);
  return remembered === null ? row : [remembered, ...row.filter((port) => port !== remembered)];
}
