/** What a channel is like where the user said nothing. */
import type { ChannelSettings } from "./types.ts";

export const usualSettings: ChannelSettings = {
  label: "",
  contextWindow: 128_000,
  abilities: { tools: true, images: true, thinking: true, promptCache: true, parallelTools: true },
  options: { maxOutputTokens: null, temperature: null, topP: null },
  effort: "default",
  instructions: "",
  auth: "format",
  extraHeaders: {},
  secretHeaders: [],
  extraBody: {},
  timeouts: { connect: 15, firstToken: 120, idle: 120 },
  tries: 4,
  concurrency: null,
  proxy: "app",
  caFile: null,
  prices: null,
  allowsPlainHttp: false,
  quirks: {},
  note: "",
  colour: null,
};
