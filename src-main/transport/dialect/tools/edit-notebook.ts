/** EditNotebook: one cell of a Jupyter notebook, changed or added. */
import { z } from "zod";
import { sha256, toHex } from "../../../base/hash.ts";
import { type Computed, editCard, failedCard, stepEdit } from "./edit.ts";
import { withNewlines } from "./form.ts";
import { type Notebook, readNotebook, sourceOf, withCell, withSource } from "./notebook.ts";
import { absolute } from "./paths.ts";
import { replaceIn } from "./str-replace.ts";
import { defineTool } from "./tool.ts";

const args = z.object({
  path: z.string().min(1),
  cell_index: z.int32().min(0).describe("From 0. A new cell goes before the one with this index."),
  new_string: z.string().describe("The cell's source, or what replaces old_string in it."),
  old_string: z
    .string()
    .optional()
    .describe("Part of the cell to replace. Left out: the whole source is replaced."),
  replace_all: z.boolean().optional(),
  is_new_cell: z.boolean().optional(),
  cell_type: z.enum(["code", "markdown", "raw"]).optional().describe("Of a new cell. Default code."),
});
type Args = z.infer<typeof args>;

export const editNotebook = defineTool<Args>({
  name: "EditNotebook",
  readOnly: false,
  card: "editToolCall",
  args,
  describe: () => "Changes or adds a cell of a Jupyter notebook (.ipynb). Outputs stay as they are.",
  started: (given, { setup: { workspace } }) => editCard(absolute(given.path, workspace)),
  step(given, replies, { setup: { workspace }, operationId }) {
    const path = absolute(given.path, workspace);
    const compute = (before: string | null) => edited(before, path, given, operationId);
    return stepEdit({ path, toolCallId: operationId, compute }, replies);
  },
  failed: (given, reason) => failedCard(given.path ?? "", reason),
  touches: (given, { setup: { workspace } }) => ({ paths: [absolute(given.path, workspace)], text: "" }),
});

function edited(before: string | null, path: string, given: Args, operationId: string): Computed | string {
  if (before === null) return `${path} does not exist. Use Write to create it.`;
  const notebook = readNotebook(before);
  if (typeof notebook === "string") return `${path} is not a notebook: ${notebook}; nothing was changed.`;
  const count = notebook.cells.length;
  const highest = given.is_new_cell ? count : count - 1;
  if (given.cell_index > highest)
    return `${path} has ${count} cells; nothing was changed. The first one is 0.`;
  return given.is_new_cell ? added(notebook, path, given, operationId) : changed(notebook, path, given);
}

/** The id of the new cell is the same when the same call is asked again. */
function added(notebook: Notebook, path: string, given: Args, operationId: string): Computed {
  const { cell_index: index, cell_type: type = "code", new_string } = given;
  const cell = { type, source: withNewlines(new_string) };
  return {
    text: withCell(notebook, index, cell, toHex(sha256(operationId))),
    report: `Added a ${type} cell at ${index} to ${path}.`,
  };
}

function changed(notebook: Notebook, path: string, given: Args): Computed | string {
  const { cell_index: index, old_string, new_string, replace_all } = given;
  const source = sourceOf(notebook, index);
  if (source === null) return `Cell ${index} of ${path} has no source; nothing was changed.`;
  const after = old_string
    ? replaceIn(source, `cell ${index} of ${path}`, { old_string, new_string, replace_all })
    : { text: withNewlines(new_string) };
  if (typeof after === "string") return after;
  return { text: withSource(notebook, index, after.text), report: `Changed cell ${index} of ${path}.` };
}
