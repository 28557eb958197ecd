import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../../../src-main/base/json.ts";
import type { Todo } from "../../../../src-main/loop/types.ts";
import { contextOf, ToolCall } from "../../../support/tool-call.ts";

const before: readonly Todo[] = [
  { id: "1", content: "first", status: "in_progress" },
  { id: "2", content: "second", status: "pending" },
];
const step = (given: JsonObject) => new ToolCall("TodoWrite", given, { todos: before });

test("without merge the list is what was given", () => {
  const { text, isError, outcome, card } = step({
    todos: [
      { id: "9", content: "only", status: "completed" },
      { id: "10", content: "new" },
    ],
  });
  assert.equal(text, "9 [completed] only\n10 [pending] new");
  assert.equal(isError, false);
  const todos = [
    { id: "9", content: "only", status: "completed" },
    { id: "10", content: "new", status: "pending" },
  ];
  assert.deepEqual(outcome.effect, { type: "todos", todos });
  assert.deepEqual(card, {
    updateTodosToolCall: {
      args: {
        todos: [
          { id: "9", content: "only", status: "TODO_STATUS_COMPLETED" },
          { id: "10", content: "new" },
        ],
      },
      result: {
        success: {
          todos: [
            { id: "9", content: "only", status: "TODO_STATUS_COMPLETED" },
            { id: "10", content: "new", status: "TODO_STATUS_PENDING" },
          ],
          totalCount: 2,
        },
      },
    },
  });
  assert.equal(step({ todos: [] }).text, "The list is empty.");
});

test("merge changes by id, in place and only what is given, and adds the rest at the end", () => {
  const { text, outcome, card } = step({
    merge: true,
    todos: [
      { id: "1", status: "completed" },
      { id: "3", content: "third" },
      { id: "2", content: "2nd" },
    ],
  });
  assert.equal(text, "1 [completed] first\n2 [pending] 2nd\n3 [pending] third");
  assert.deepEqual(outcome.effect, {
    type: "todos",
    todos: [
      { id: "1", content: "first", status: "completed" },
      { id: "2", content: "2nd", status: "pending" },
      { id: "3", content: "third", status: "pending" },
    ],
  });
  const { success } = (
    card as { updateTodosToolCall: { result: { success: { wasMerge: boolean; totalCount: number } } } }
  ).updateTodosToolCall.result;
  assert.equal(success.wasMerge, true);
  assert.equal(success.totalCount, 3);
});

test("the same id twice is one entry, the later one", () => {
  const { text } = step({
    todos: [
      { id: "1", content: "a" },
      { id: "1", content: "b", status: "cancelled" },
    ],
  });
  assert.equal(text, "1 [cancelled] b");
});

test("an unknown entry without a content, or a status that does not exist, changes nothing", () => {
  const { text, isError, outcome, card } = step({ merge: true, todos: [{ id: "7", status: "completed" }] });
  assert.equal(text, 'There is no todo "7" yet: it needs a content. Nothing was changed.');
  assert.equal(isError, true);
  assert.equal(outcome.effect, undefined);
  assert.deepEqual(card, {
    updateTodosToolCall: {
      args: { todos: [{ id: "7", status: "TODO_STATUS_COMPLETED" }], merge: true },
      result: { error: { error: text } },
    },
  });
  const wrong = step({ todos: [{ id: "1", content: "a", status: "done" }] });
  assert.match(wrong.text, /The arguments of TodoWrite do not fit, nothing was done/);
  assert.deepEqual(wrong.card, {
    updateTodosToolCall: { args: {}, result: { error: { error: wrong.text } } },
  });
});

test("it is offered in every mode, and its calls are made one after the other", () => {
  const { spec } = contextOf("TodoWrite");
  assert.deepEqual([spec.readOnly, spec.concurrent], [true, false]);
  assert.deepEqual(step({ todos: [{ id: "1", content: "a", status: "in_progress" }] }).startedCard, {
    updateTodosToolCall: { args: { todos: [{ id: "1", content: "a", status: "TODO_STATUS_IN_PROGRESS" }] } },
  });
});
