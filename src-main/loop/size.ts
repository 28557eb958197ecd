/** How much of a model's context a message takes: an estimate, at four characters a token. */
import type { AssistantBlock, ImagePart, Message, TextPart } from "../llm/types.ts";

const charactersPerToken = 4;
/** An image of usual size, which providers count as about 1,000 tokens. */
const imageCharacters = 4_000;

export const toTokens = (characters: number): number => Math.ceil(characters / charactersPerToken);

export const tokensOf = (messages: readonly Message[]): number =>
  toTokens(messages.reduce((sum, message) => sum + charactersOf(message), 0));

export function charactersOf(message: Message): number {
  switch (message.role) {
    case "user":
      return sum(message.parts);
    case "context":
      return message.text.length;
    case "assistant":
      return sum(message.blocks);
    case "tool":
      return message.text.length + sum(message.images ?? []);
  }
}

const sum = (parts: readonly (TextPart | ImagePart | AssistantBlock)[]): number =>
  parts.reduce((total, part) => total + lengthOf(part), 0);

function lengthOf(part: TextPart | ImagePart | AssistantBlock): number {
  switch (part.type) {
    case "text":
    case "thinking":
      return part.text.length;
    case "tool_call":
      return part.name.length + part.arguments.length;
    case "image":
      return imageCharacters;
  }
}
