/** How the state of a call looks. */
import type { CallView } from "../../src-main/contract/calls.ts";
import type { TextKey } from "../i18n/words.ts";
import type { Tone } from "../parts/glyph.tsx";

export const callStates = {
  planned: { tone: "busy", text: "calls.planned" },
  streaming: { tone: "busy", text: "calls.streaming" },
  committed: { tone: "ok", text: "calls.committed" },
  failed: { tone: "err", text: "calls.failedStatus" },
  canceled: { tone: "off", text: "calls.canceled" },
} as const satisfies Record<CallView["status"], { readonly tone: Tone; readonly text: TextKey }>;
