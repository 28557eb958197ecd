/** MultiStrReplace: several replacements in one file, in order, all or none. */
import { z } from "zod";
import { type Computed, editCard, failedCard, stepEdit } from "./edit.ts";
import { absolute } from "./paths.ts";
import { type Replacement, replaceIn, replacement } from "./str-replace.ts";
import { defineTool } from "./tool.ts";

const args = z.object({
  path: z.string().min(1),
  edits: z.array(replacement).min(1),
});
type Args = z.infer<typeof args>;

export const multiStrReplace = defineTool<Args>({
  name: "MultiStrReplace",
  readOnly: false,
  card: "editToolCall",
  args,
  describe: () =>
    "Several StrReplace edits of one file in one call: each sees the result of those before it, and if one fails none is made.",
  started: (given, { setup: { workspace } }) => editCard(absolute(given.path, workspace)),
  step(given, replies, { setup: { workspace }, operationId }) {
    const path = absolute(given.path, workspace);
    return stepEdit(
      { path, toolCallId: operationId, compute: (before) => replaceAllIn(before, path, given.edits) },
      replies,
    );
  },
  failed: (given, reason) => failedCard(given.path ?? "", reason),
  touches: (given, { setup: { workspace } }) => ({ paths: [absolute(given.path, workspace)], text: "" }),
});

function replaceAllIn(before: string | null, path: string, edits: readonly Replacement[]): Computed | string {
  let text = before;
  for (const [index, edit] of edits.entries()) {
    const after = replaceIn(text, path, edit);
    if (typeof after === "string") return edits.length === 1 ? after : `edits[${index}]: ${after}`;
    text = after.text;
  }
  return { text: text ?? "", report: `Made ${edits.length} edits in ${path}.` };
}
