import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import type { Reply } from "../../../../src-main/loop/types.ts";
import { fileOf, operationId, readResult, ToolCall, writeResult } from "../../../support/tool-call.ts";

const path = "/home/me/code/n.ipynb";
const step = (given: JsonObject, ...replies: readonly Reply[]) =>
  new ToolCall("EditNotebook", given).answers(...replies);

/** Printed as Jupyter does, with what a parser and printer would change: 1.0, the order of number keys, two floats. */
const text = `{
 "cells": [
  {
   "cell_type": "code",
   "execution_count": 3,
   "id": "aa11",
   "metadata": {"2": 1.0, "1": 1e-05},
   "outputs": [{"text": ["} ] \\" { ["]}],
   "source": [
    "import x\\n",
    "x.run()"
   ]
  },
  {
   "cell_type": "markdown",
   "id": "bb22",
   "metadata": {},
   "source": "# Größe 文"
  }
 ],
 "metadata": {},
 "nbformat": 4,
 "nbformat_minor": 5
}
`;

/** The file after the call, or the sentence that says why it was not changed. */
function after(args: JsonObject, content = text): string {
  const call = step({ path, ...args }, fileOf(content));
  const question = call.question as { writeArgs: { fileText: string } } | null;
  return question === null ? call.text : question.writeArgs.fileText;
}

test("a source is replaced whole or in part, and keeps its kind; nothing else changes", () => {
  assert.equal(
    after({ cell_index: 0, new_string: "y = 1\n\ny" }),
    text.replace('"import x\\n",\n    "x.run()"', '"y = 1\\n",\n    "\\n",\n    "y"'),
  );
  assert.equal(
    after({ cell_index: 0, old_string: "x.run", new_string: "x.stop" }),
    text.replace("x.run", "x.stop"),
  );
  assert.equal(after({ cell_idx: 1, new_string: "# Neu\r\n" }), text.replace("# Größe 文", "# Neu\\n"));
  assert.equal(after({ cell_index: 0, new_string: "" }), text.replace(/\[\n {4}"import[^\]]*\]/, "[]"));
});

/** The cells after the call. */
const cellsAfter = (args: JsonObject, content = text): readonly { readonly id?: string }[] =>
  (JSON.parse(after(args, content)) as { cells: { id?: string }[] }).cells;

test("a new cell goes before the one at its index or to the end, printed like the others", () => {
  const added = { cell_index: 1, is_new_cell: true, new_string: "a\nb" };
  const cell = `  {
   "cell_type": "code",
   "execution_count": null,
   "id": "ID",
   "metadata": {},
   "outputs": [],
   "source": [
    "a\\n",
    "b"
   ]
  },
`;
  const id = cellsAfter(added)[1]?.id ?? "";
  assert.match(id, /^[0-9a-f]{8}$/);
  const at = text.indexOf('  {\n   "cell_type": "markdown"');
  assert.equal(after(added), text.slice(0, at) + cell.replace("ID", id) + text.slice(at));
  const last = after({ cell_index: 2, is_new_cell: true, cell_type: "markdown", new_string: "end" });
  assert.match(
    last,
    / {2}\},\n {2}\{\n {3}"cell_type": "markdown",\n {3}"id": "[0-9a-f]{8}",\n {3}"metadata": \{\},\n {3}"source": \[\n {4}"end"\n {3}\]\n {2}\}\n \],\n/,
  );
});

test("the id of a new cell is the same for the same call, free, and absent before format 4.5", () => {
  const added = { cell_index: 0, is_new_cell: true, new_string: "" };
  const id = cellsAfter(added)[0]?.id ?? "";
  assert.equal(cellsAfter(added)[0]?.id, id);
  const second = cellsAfter(added, after(added))[0]?.id ?? "";
  assert.equal(second.slice(0, 8), id);
  assert.equal(second.length, 9);
  assert.equal(cellsAfter(added, text.replace('minor": 5', 'minor": 4'))[0]?.id, undefined);
});

test("other ways of printing are kept: tabs, one line, no cells yet, no final newline", () => {
  const added = { cell_index: 0, is_new_cell: true, cell_type: "raw", new_string: "r" };
  const tabs =
    '{\n\t"cells": [\n\t\t{\n\t\t\t"cell_type": "raw",\n\t\t\t"metadata": {},\n\t\t\t"source": []\n\t\t}\n\t],\n\t"nbformat": 4\n}';
  assert.equal(
    after({ cell_index: 0, new_string: "r" }, tabs),
    tabs.replace("[]", '[\n\t\t\t\t"r"\n\t\t\t]'),
  );
  const line = '{"cells":[{"cell_type":"raw","metadata":{},"source":["r"]}],"nbformat":4}\n';
  assert.equal(
    after(added, line),
    line.replace('{"cell_type', '{"cell_type":"raw","metadata":{},"source":["r"]},{"cell_type'),
  );
  const none = '{\n "cells": [],\n "nbformat": 4\n}';
  assert.equal(
    after(added, none),
    '{\n "cells": [\n  {\n   "cell_type": "raw",\n   "metadata": {},\n   "source": [\n    "r"\n   ]\n  }\n ],\n "nbformat": 4\n}',
  );
  assert.equal(
    after({ cell_index: 1, new_string: "#" }, `\uFEFF${text.replaceAll("\n", "\r\n")}`),
    `\uFEFF${text.replaceAll("\n", "\r\n")}`.replace("# Größe 文", "#"),
  );
});

test("any cell of any notebook takes any source, and the others stay", () => {
  const source = fc.string({ unit: "binary" });
  const cell = fc.record({
    cell_type: fc.constantFrom("code", "markdown"),
    metadata: fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 })),
    source: fc.oneof(source, fc.array(source)),
  });
  const notebook = fc.record({
    cells: fc.array(cell, { minLength: 1, maxLength: 4 }),
    nbformat: fc.constant(4),
  });
  const indent = fc.constantFrom(0, 1, 2, "\t");
  fc.assert(
    fc.property(notebook, indent, fc.nat(3), fc.boolean(), source, (value, unit, pick, isNew, wanted) => {
      const index = pick % value.cells.length;
      const before = JSON.stringify(value, null, unit);
      const cells = cellsAfter({ cell_index: index, is_new_cell: isNew, new_string: wanted }, before) as {
        source: string | string[];
      }[];
      assert.equal([cells[index]?.source].flat().join(""), wanted.replaceAll("\r\n", "\n"));
      const others = JSON.parse(before).cells as unknown[];
      assert.deepEqual(cells.toSpliced(index, 1), isNew ? others : others.toSpliced(index, 1));
    }),
    { numRuns: 200 },
  );
});

test("what is no notebook, no cell or no such text is told, and nothing is written", () => {
  const edit = { cell_index: 0, new_string: "" };
  assert.match(after(edit, "not JSON"), /n\.ipynb is not a notebook: this is not valid JSON/);
  assert.match(
    after(edit, '{"worksheets":[]}'),
    /is not a notebook: it has no list of cells; nothing was changed/,
  );
  assert.match(after(edit, '{"cells":[1]}'), /no list of cells/);
  assert.match(after(edit, '{"cells":[{}]}'), /Cell 0 of \/home\/me\/code\/n\.ipynb has no source/);
  assert.match(after({ cell_index: 2, new_string: "" }), /has 2 cells; nothing was changed/);
  assert.match(after({ cell_index: 3, is_new_cell: true, new_string: "" }), /has 2 cells/);
  assert.match(after({ cell_index: 0, old_string: "absent", new_string: "" }), /does not occur in cell 0 of/);
  assert.match(after({ cell_index: -1, new_string: "" }), /do not fit/);
  const missing = readResult({ case: "fileNotFound", value: { path } });
  assert.match(step({ path, ...edit }, missing).text, /does not exist. Use Write/);
});

test("it ends with a report and an edit card", () => {
  const args = { target_notebook: "n.ipynb", cell_index: 1, new_string: "# Neu" };
  assert.deepEqual(step(args).question, { readArgs: { path, toolCallId: operationId } });
  const written = writeResult({ case: "success", value: { path } });
  const { text: said, card } = step(args, fileOf(text), written);
  assert.equal(said, "Changed cell 1 of /home/me/code/n.ipynb.");
  const { success } = (card as { editToolCall: { result: { success: Record<string, unknown> } } })
    .editToolCall.result;
  assert.deepEqual([success.linesAdded, success.linesRemoved], [1, 1]);
  const added = step({ ...args, is_new_cell: true, cell_type: "markdown" }, fileOf(text), written);
  assert.equal(added.text, "Added a markdown cell at 1 to /home/me/code/n.ipynb.");
});
