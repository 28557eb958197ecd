/** How a channel's last test went, in this window or before. Pure. */
import type { ChannelView } from "../../../src-main/contract/channels.ts";
import type { PlainKey } from "../../i18n/words.ts";
import type { Tone } from "../../parts/glyph.tsx";
import type { Test } from "../../stores/channels.ts";

export interface Verdict {
  readonly tone: Tone;
  readonly text: PlainKey;
  readonly atMs: number | null;
  readonly message: string | null;
}

export function verdictOf({ enabled, key, lastTest }: ChannelView, test: Test | undefined): Verdict {
  if (test?.type === "running")
    return { tone: "busy", text: "channels.test.running", atMs: null, message: null };
  if (test?.type === "failed")
    return { tone: "err", text: "channels.test.notMade", atMs: null, message: test.message };
  if (key === "missing" || key === "unreadable")
    return { tone: "warn", text: `channels.key.${key}`, atMs: null, message: null };
  const last = test ? { atMs: test.atMs, ok: test.result.ok, message: test.result.message } : lastTest;
  if (last)
    return {
      tone: last.ok ? "ok" : "err",
      text: last.ok ? "channels.test.ok" : "channels.test.failed",
      atMs: last.atMs,
      message: last.message,
    };
  return { tone: "off", text: enabled ? "channels.test.never" : "channels.off", atMs: null, message: null };
}
