/** A conversation that began elsewhere: told to the model once, as context before its first message here. */
import type { ConversationHistory, ConversationHistoryMessage } from "../../gen/agent/v1/message_pb.ts";
import type { ContextMessage } from "../../llm/types.ts";
import { cutEnd, cutMiddle } from "./tools/limits.ts";

const allCharacters = 100_000;
const resultCharacters = 2_000;

export function earlierConversation(
  history: ConversationHistory | undefined,
  redact: (text: string) => string,
): readonly ContextMessage[] {
  const said = (history?.messages ?? []).map(line).filter(Boolean);
  if (said.length === 0) return [];
  const text = cutMiddle(redact(said.join("\n\n")), allCharacters);
  return [{ role: "context", text: `<earlier_conversation>\n${text}\n</earlier_conversation>` }];
}

function line({ message }: ConversationHistoryMessage): string {
  switch (message.case) {
    case "user":
      return `User: ${textOf(message.value.content)}`;
    case "assistant": {
      const calls = message.value.content.flatMap(({ content }) =>
        content.case === "toolCall" ? [`(called ${content.value.toolName} ${content.value.argsJson})`] : [],
      );
      return ["Assistant:", textOf(message.value.content), ...calls].filter(Boolean).join(" ");
    }
    case "tool":
      return `${message.value.toolName} returned: ${cutEnd(textOf(message.value.content), resultCharacters)}`;
    case undefined:
      return "";
  }
}

const textOf = (
  content: readonly { readonly content: { case?: string | undefined; value?: unknown } }[],
): string =>
  content
    .map(({ content: part }) => (part.case === "text" ? (part.value as { text: string }).text : ""))
    .join("");
