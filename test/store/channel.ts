/** A channel with nothing special about it. */
import { usualSettings } from "../../src-main/llm/channel.ts";
import type { Channel } from "../../src-main/llm/types.ts";

export const channel: Channel = {
  id: "c1",
  name: "One",
  enabled: true,
  format: "openai-chat",
  baseUrl: "https://api.example.com/v1",
  model: "m",
  ...usualSettings,
  abilities: { ...usualSettings.abilities, images: false },
  options: { maxOutputTokens: null, temperature: 0.5, topP: null },
  instructions: "Prefer tabs.",
  extraBody: { nested: { list: [1, null, "x"] } },
};
