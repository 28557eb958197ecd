/** A conversation as Markdown, to be taken along. */
import type { Words } from "../../i18n/words.ts";
import { type Item, promptOf } from "./items.ts";

export const markdownOf = (items: readonly Item[], words: Words): string =>
  `${items
    .map((item) => textOf(item, words))
    .filter((text) => text !== "")
    .join("\n\n")}\n`;

function textOf(item: Item, words: Words): string {
  switch (item.type) {
    case "user":
      return `## ${words.text("item.you")}\n\n${item.message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n")}`;
    case "text":
      return item.part.text;
    case "thinking":
      return item.part.text.replaceAll(/^/gm, "> ");
    case "tool":
      return [
        fenced(`${item.call.name} ${item.call.text}`),
        item.result ? fenced(promptOf(item.result)) : "",
      ].join("\n");
    case "broken":
      return item.tries.map(brokenText).join("\n\n");
    case "live":
      return item.block.type === "text" ? item.block.text : "";
    case "context":
    case "mark":
    case "turn":
      return "";
  }
}

const brokenText = ({ partial, error }: { readonly partial: string | null; readonly error: string | null }) =>
  [partial, error && `**${error}**`].filter(Boolean).join("\n\n");

/** With one more mark than any run of them inside. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
