/** A channel as it is being edited: its fields without what the form does not ask for. */
import type { ChannelFields } from "../../../src-main/contract.ts";

export type Draft = Pick<
  ChannelFields,
  | "name"
  | "baseUrl"
  | "model"
  | "contextWindow"
  | "maxOutputTokens"
  | "tools"
  | "images"
  | "thinking"
  | "instructions"
>;

export const emptyDraft: Draft = {
  ...{ name: "", baseUrl: "", model: "", contextWindow: 128_000, maxOutputTokens: null },
  ...{ tools: true, images: false, thinking: true, instructions: "" },
};

export const draftOf = ({
  name,
  baseUrl,
  model,
  contextWindow,
  maxOutputTokens,
  tools,
  images,
  thinking,
  instructions,
}: Draft): Draft => ({
  ...{ name, baseUrl, model, contextWindow, maxOutputTokens, tools, images, thinking, instructions },
});

export interface PartProps {
  readonly draft: Draft;
  readonly change: (own: Partial<Draft>) => void;
}
