/** Write: a whole file, new or replaced. */
import { z } from "zod";
import { editCard, failedCard, stepEdit } from "./edit.ts";
import { absolute } from "./paths.ts";
import { defineTool } from "./tool.ts";

const args = z.object({
  path: z.string().min(1).describe("Absolute, or relative to the workspace. Missing folders are made."),
  contents: z.string().describe("The complete new content."),
});
type Args = z.infer<typeof args>;

export const write = defineTool<Args>({
  name: "Write",
  readOnly: false,
  card: "editToolCall",
  args,
  describe: () => "Writes a whole file and replaces what was there. To change part of a file use StrReplace.",
  started: (given, { setup: { workspace } }) => editCard(absolute(given.path, workspace)),
  step(given, replies, { setup: { workspace }, operationId }) {
    const path = absolute(given.path, workspace);
    return stepEdit(
      {
        path,
        toolCallId: operationId,
        compute: (before) => ({
          text: given.contents,
          report: `${before === null ? "Created" : "Replaced"} ${path}.`,
        }),
      },
      replies,
    );
  },
  failed: (given, reason) => failedCard(given.path ?? "", reason),
  touches: (given, { setup: { workspace } }) => ({ paths: [absolute(given.path, workspace)], text: "" }),
});
