/** One answer to "can Cursor reach my models right now, and if not, which link is broken?" */
import type { ChannelView } from "../../src-main/contract/channels.ts";
import type { Status } from "../../src-main/contract/program.ts";
import type { LinkState } from "./link.ts";
import type { Shadowed } from "./shadow.ts";

export type Health =
  | { readonly type: "connecting" }
  | { readonly type: "unreachable"; readonly sinceMs: number }
  | { readonly type: "unknown" }
  | { readonly type: "working" | Trouble; readonly status: Status };

/** What keeps Cursor from the models, in the order in which it has to be mended. */
export type Trouble = "no_port" | "paused" | "no_channel" | "all_off" | "no_usable_key" | "not_connected";

export function healthOf(
  link: LinkState,
  status: Shadowed<Status>,
  channels: Shadowed<readonly ChannelView[]>,
): Health {
  if (link.type === "lost") return { type: "unreachable", sinceMs: link.sinceMs };
  switch (status.type) {
    case "loading":
      return { type: "connecting" };
    case "failed":
      return { type: "unknown" };
    case "loaded":
      return { type: troubleOf(status.value, channels) ?? "working", status: status.value };
  }
}

function troubleOf(status: Status, channels: Shadowed<readonly ChannelView[]>): Trouble | null {
  if (status.port === null) return "no_port";
  if (status.isPaused) return "paused";
  if (status.channels.total === 0) return "no_channel";
  if (status.channels.enabled === 0) return "all_off";
  if (channels.type === "loaded" && !channels.value.some(isUsable)) return "no_usable_key";
  if (status.keys === 0 && !status.isSetUp) return "not_connected";
  return null;
}

const isUsable = ({ enabled, key }: ChannelView): boolean => enabled && (key === "set" || key === "none");
