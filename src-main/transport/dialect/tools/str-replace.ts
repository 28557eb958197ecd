/** StrReplace: one exact piece of a file, or all its occurrences. */
import { z } from "zod";
import { type Computed, editCard, failedCard, stepEdit } from "./edit.ts";
import { withNewlines } from "./form.ts";
import { absolute } from "./paths.ts";
import { defineTool } from "./tool.ts";

/** One replacement; a list of them is MultiStrReplace. */
export const replacement = z.object({
  old_string: z
    .string()
    .min(1)
    .describe(
      "Exactly as in the file, without line numbers, with enough lines around it to occur only once.",
    ),
  new_string: z.string(),
  replace_all: z.boolean().optional().describe("Replace every occurrence. Default false."),
});
export type Replacement = z.infer<typeof replacement>;

const args = z.object({
  path: z.string().min(1).describe("Absolute, or relative to the workspace."),
  ...replacement.shape,
});
type Args = z.infer<typeof args>;

export const strReplace = defineTool<Args>({
  name: "StrReplace",
  readOnly: false,
  card: "editToolCall",
  args,
  describe: () =>
    "Replaces an exact piece of text in a file. Fails when it does not occur, or occurs more than once.",
  started: (given, { setup: { workspace } }) => editCard(absolute(given.path, workspace)),
  step(given, replies, { setup: { workspace }, operationId }) {
    const path = absolute(given.path, workspace);
    return stepEdit(
      {
        path,
        toolCallId: operationId,
        compute: (before) => replaceIn(before, path, given),
      },
      replies,
    );
  },
  failed: (given, reason) => failedCard(given.path ?? "", reason),
  touches: (given, { setup: { workspace } }) => ({ paths: [absolute(given.path, workspace)], text: "" }),
});

/** The text with the piece replaced, or why it was not. */
export function replaceIn(before: string | null, path: string, piece: Replacement): Computed | string {
  if (before === null) return `${path} does not exist. Use Write to create it.`;
  if (piece.old_string === piece.new_string)
    return "old_string and new_string are the same; nothing was changed.";
  const pieces = piecesOf(before, piece.old_string);
  const count = pieces.length - 1;
  if (count === 0)
    return `old_string does not occur in ${path}; nothing was changed. Read the file and copy the text exactly, white space included.`;
  if (count > 1 && !piece.replace_all)
    return `old_string occurs ${count} times in ${path}; nothing was changed. Add lines around it until it is unique, or set replace_all.`;
  return {
    text: pieces.join(piece.new_string),
    report: count === 1 ? `Replaced the text in ${path}.` : `Replaced ${count} occurrences in ${path}.`,
  };
}

/** Line ends of the model's own may differ from those the tools see. */
const piecesOf = (text: string, wanted: string): readonly string[] =>
  text.split(text.includes(wanted) ? wanted : withNewlines(wanted));
