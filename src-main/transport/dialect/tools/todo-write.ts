/** TodoWrite: the model's own list of what is to be done. It lives in the conversation's state; nobody is asked. */
import { z } from "zod";
import { TodoStatus } from "../../../gen/agent/v1/queries_pb.ts";
import type { Todo } from "../../../loop/types.ts";
import { todoStatuses } from "../todos.ts";
import { type Card, defineTool } from "./tool.ts";

const todo = z.object({
  id: z.string().min(1),
  content: z.string().min(1).optional(),
  status: z.enum(["pending", "in_progress", "completed", "cancelled"]).optional(),
});

const args = z.object({
  todos: z.array(todo).max(100),
  merge: z
    .boolean()
    .optional()
    .describe("true: change or add only these, by id. false (default): the whole list."),
});
type Args = z.infer<typeof args>;

export const todoWrite = defineTool<Args>({
  name: "TodoWrite",
  readOnly: true,
  concurrent: false, // a merge builds on the call before it
  card: "updateTodosToolCall",
  args,
  describe: () =>
    "Your list of steps, shown to the user. Use it for work of several steps: one in_progress at a time, completed as soon as it is done.",
  started: (given) => cardOf(given),
  step(given, _, { todos }) {
    const next = given.todos.reduce<readonly Todo[] | string>(
      (list, change) => (typeof list === "string" ? list : changed(list, change)),
      given.merge ? todos : [],
    );
    if (typeof next === "string")
      return {
        type: "done",
        text: next,
        isError: true,
        card: cardOf(given, { case: "error", value: { error: next } }),
      };
    return {
      type: "done",
      text: next.length === 0 ? "The list is empty." : next.map(printed).join("\n"),
      isError: false,
      card: cardOf(given, {
        case: "success",
        value: { todos: next.map(toItem), totalCount: next.length, wasMerge: given.merge ?? false },
      }),
      effect: { type: "todos", todos: next },
    };
  },
  failed: (_, reason) => cardOf({ todos: [] }, { case: "error", value: { error: reason } }),
});

type Change = z.infer<typeof todo>;

/** The list with one entry changed in place or added at its end; a sentence when it cannot be. */
function changed(list: readonly Todo[], { id, content, status }: Change): readonly Todo[] | string {
  const known = list.find((entry) => entry.id === id);
  const text = content ?? known?.content;
  if (text === undefined)
    return `There is no todo ${JSON.stringify(id)} yet: it needs a content. Nothing was changed.`;
  const entry: Todo = { id, content: text, status: status ?? known?.status ?? "pending" };
  return known ? list.map((other) => (other === known ? entry : other)) : [...list, entry];
}

const printed = ({ id, content, status }: Todo): string => `${id} [${status}] ${content}`;

/** A change that leaves something out leaves that as it is. */
const toItem = ({ id, content = "", status }: Change) => ({
  id,
  content,
  status: status ? todoStatuses[status] : TodoStatus.UNSPECIFIED,
});

type TodosCard = Extract<Card, { readonly case: "updateTodosToolCall" }>["value"];

const cardOf = (given: Args, result?: NonNullable<TodosCard["result"]>["result"]): Card => ({
  case: "updateTodosToolCall",
  value: {
    args: { todos: given.todos.map(toItem), merge: given.merge ?? false },
    ...(result ? { result: { result } } : {}),
  },
});
