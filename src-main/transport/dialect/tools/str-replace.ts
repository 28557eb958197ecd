/** StrReplace: one exact piece of a file, or all its occurrences. */
import { z } from "zod";
import { editCard, failedCard, stepEdit } from "./edit.ts";
import { absolute } from "./paths.ts";
import { defineTool } from "./tool.ts";

const args = z.object({
  path: z.string().min(1).describe("Absolute, or relative to the workspace."),
  old_string: z
    .string()
    .min(1)
    .describe(
      "Exactly as in the file, without line numbers, with enough lines around it to occur only once.",
    ),
  new_string: z.string(),
  replace_all: z.boolean().optional().describe("Replace every occurrence. Default false."),
});
type Args = z.infer<typeof args>;

export const strReplace = defineTool<Args>({
  name: "StrReplace",
  readOnly: false,
  card: "editToolCall",
  args,
  describe: () =>
    "Replaces an exact piece of text in a file. Fails when it does not occur, or occurs more than once.",
  started: (given, { workspace }) => editCard(absolute(given.path, workspace)),
  step(given, replies, { workspace, operationId }) {
    const path = absolute(given.path, workspace);
    return stepEdit(
      {
        path,
        toolCallId: operationId,
        compute: (before) =>
          before === null ? `${path} does not exist. Use Write to create it.` : replaced(given, path, before),
      },
      replies,
    );
  },
  failed: (given, reason) => failedCard(given.path ?? "", reason),
  touches: (given, { workspace }) => ({ paths: [absolute(given.path, workspace)], text: "" }),
});

function replaced(given: Args, path: string, before: string) {
  if (given.old_string === given.new_string)
    return "old_string and new_string are the same; nothing was changed.";
  const { from, to } = matching(given, before);
  const pieces = before.split(from);
  const count = pieces.length - 1;
  if (count === 0)
    return `old_string does not occur in ${path}; nothing was changed. Read the file and copy the text exactly, white space included.`;
  if (count > 1 && !given.replace_all)
    return `old_string occurs ${count} times in ${path}; nothing was changed. Add lines around it until it is unique, or set replace_all.`;
  return {
    text: pieces.join(to),
    report: count === 1 ? `Replaced the text in ${path}.` : `Replaced ${count} occurrences in ${path}.`,
  };
}

/**
 * A model may write other line ends than the file has. The client hides Windows' ones and puts them back (seen); from
 * one that does not, what goes into a file of theirs gets them here.
 */
function matching(given: Args, before: string): { readonly from: string; readonly to: string } {
  const { old_string: from, new_string: to } = given;
  const plain = (text: string) => text.replaceAll("\r\n", "\n");
  const windows = (text: string) => plain(text).replaceAll("\n", "\r\n");
  const hasWindows = before.includes("\r\n");
  const isMixed = hasWindows && windows(before) !== before;
  if (before.includes(from) && (isMixed || !hasWindows)) return { from, to };
  const fitting = hasWindows ? windows : plain;
  return { from: fitting(from), to: fitting(to) };
}
