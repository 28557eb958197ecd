/**
 * Every text of the window in each of its languages: [English, Chinese], a file for each place where people read them.
 *
 * A sentence is never built from parts: {placeholders} hold numbers, names and times only. Keys that end in .one and
 * .other are the plural forms of one text.
 */

import { channels } from "./texts/channels.ts";
import { connect } from "./texts/connect.ts";
import { conversations } from "./texts/conversations.ts";
import { failures } from "./texts/failures.ts";
import { findings } from "./texts/findings.ts";
import { firstRun } from "./texts/first-run.ts";
import { frame } from "./texts/frame.ts";
import { help } from "./texts/help.ts";
import { inspector } from "./texts/inspector.ts";
import { overview } from "./texts/overview.ts";
import { settings } from "./texts/settings.ts";
import { text } from "./texts/text.ts";
import { usage } from "./texts/usage.ts";

export const texts = {
  ...frame,
  ...overview,
  ...channels,
  ...connect,
  ...conversations,
  ...text,
  ...inspector,
  ...usage,
  ...settings,
  ...firstRun,
  ...failures,
  ...findings,
  ...help,
} as const satisfies Readonly<Record<string, readonly [en: string, zhCN: string]>>;
