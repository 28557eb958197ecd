/** CreatePlan: what plan mode ends with. The client keeps the plan as a file; its steps become the list of todos. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { z } from "zod";
import {
  type CreatePlanArgsSchema,
  type CreatePlanResult,
  TodoStatus,
} from "../../../gen/agent/v1/queries_pb.ts";
import type { Todo } from "../../../loop/types.ts";
import { type Card, defineTool, readAnswer, type ToolStep } from "./tool.ts";

const args = z.object({
  name: z.string().min(1).optional().describe("Three to five words."),
  overview: z.string().optional().describe("One or two sentences."),
  plan: z.string().min(1).describe("The whole plan, in Markdown."),
  todos: z.array(z.object({ id: z.string().min(1), content: z.string().min(1) })).optional(),
});
type Args = z.infer<typeof args>;

export const createPlan = defineTool<Args>({
  name: "CreatePlan",
  readOnly: false,
  modes: ["plan"],
  forSubagents: false,
  card: "createPlanToolCall",
  args,
  describe: () =>
    "Gives the user the finished plan, with its steps as todos. Call it once you know enough, then end your turn.",
  started: (given) => cardOf(toArgs(given)),
  step(given, replies, { operationId }) {
    const asked = toArgs(given);
    const [reply] = replies;
    if (!reply)
      return {
        type: "query",
        query: { case: "createPlanRequestQuery", value: { args: asked, toolCallId: operationId } },
      };
    const answer = readAnswer(reply, "createPlanRequestResponse");
    if (typeof answer === "string") return failed(asked, answer);
    return answered(given, answer.result);
  },
  failed: ({ name = "", overview = "", plan = "" }, reason) =>
    cardOf({ name, overview, plan }, { result: { case: "error", value: { error: reason } } }),
});

type PlanArgs = MessageInitShape<typeof CreatePlanArgsSchema>;

const toArgs = ({ name, overview, plan, todos }: Args): PlanArgs => ({
  name: name ?? "Plan",
  overview: overview ?? "",
  plan,
  todos: (todos ?? []).map(({ id, content }) => ({ id, content, status: TodoStatus.PENDING })),
});

function answered(given: Args, result: CreatePlanResult | undefined): ToolStep {
  const asked = toArgs(given);
  switch (result?.result.case) {
    case "success": {
      const { planUri } = result;
      const todos = (given.todos ?? []).map((todo): Todo => ({ ...todo, status: "pending" }));
      return {
        type: "done",
        text: `The user has the plan${planUri ? ` (${planUri})` : ""}. End your turn: whether it is carried out is theirs to say.`,
        isError: false,
        card: cardOf(asked, { result: result.result, planUri }),
        ...(todos.length > 0 ? { effect: { type: "todos", todos } } : {}),
      };
    }
    case "error":
      return failed(asked, `The plan was not taken: ${result.result.value.error}`);
    case undefined:
      return failed(asked, "The client did not say whether it took the plan.");
  }
}

const failed = (asked: PlanArgs, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(asked, { result: { case: "error", value: { error: reason } } }),
});

type PlanCard = Extract<Card, { readonly case: "createPlanToolCall" }>["value"];

const cardOf = (asked: PlanArgs, result?: NonNullable<PlanCard["result"]>): Card => ({
  case: "createPlanToolCall",
  value: { args: asked, ...(result ? { result } : {}) },
});
