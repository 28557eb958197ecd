/** AskQuestion: questions to the user with options to choose from. The ids on the wire are ours; answers come back as labels. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { z } from "zod";
import type {
  AskQuestionArgsSchema,
  AskQuestionResult,
  AskQuestionSuccess_Answer,
} from "../../../gen/agent/v1/queries_pb.ts";
import { type Card, defineTool, readAnswer, type ToolStep } from "./tool.ts";

const question = z.object({
  prompt: z.string().min(1),
  options: z.array(z.object({ label: z.string().min(1) })).min(2),
  allow_multiple: z.boolean().optional(),
});

const args = z.object({
  title: z.string().optional(),
  questions: z.array(question).min(1),
});
type Args = z.infer<typeof args>;
type Question = z.infer<typeof question>;

export const askQuestion = defineTool<Args>({
  name: "AskQuestion",
  readOnly: true,
  concurrent: false,
  forSubagents: false,
  card: "askQuestionToolCall",
  args,
  describe: () =>
    "Asks the user to choose. Only for decisions that are the user's and that you cannot find out yourself.",
  started: (given) => cardOf(toArgs(given)),
  step(given, replies, { operationId }) {
    const asked = toArgs(given);
    const [reply] = replies;
    if (!reply)
      return {
        type: "query",
        query: { case: "askQuestionInteractionQuery", value: { args: asked, toolCallId: operationId } },
      };
    const answer = readAnswer(reply, "askQuestionInteractionResponse");
    if (typeof answer === "string") return failed(asked, answer);
    return answered(given, answer.result);
  },
  failed: (given, reason) =>
    cardOf({ title: given.title ?? "" }, { case: "error", value: { errorMessage: reason } }),
});

type AskArgs = MessageInitShape<typeof AskQuestionArgsSchema>;

const toArgs = ({ title, questions }: Args): AskArgs => ({
  title: title ?? "",
  questions: questions.map(({ prompt, options, allow_multiple }, at) => ({
    id: idOf(at),
    prompt,
    options: options.map(({ label }, place) => ({ id: idOf(place), label })),
    allowMultiple: allow_multiple ?? false,
  })),
});

/** The model's own ids may occur twice, or not at all. */
const idOf = (at: number): string => String(at + 1);

const goOn = "Go on with the best assumption, and say which one you made.";

function answered(given: Args, result: AskQuestionResult | undefined): ToolStep {
  const asked = toArgs(given);
  const kind = result?.result;
  switch (kind?.case) {
    case "success": {
      const { answers } = kind.value;
      const text = given.questions.map((each, at) => {
        const answer = answers.find(({ questionId }) => questionId === idOf(at));
        return `${each.prompt}\n-> ${answer ? wordsOf(each, answer) : "no answer"}`;
      });
      return { type: "done", text: text.join("\n"), isError: false, card: cardOf(asked, kind) };
    }
    case "rejected": {
      const reason = kind.value.reason ? ` (${kind.value.reason})` : "";
      return {
        type: "done",
        text: `The user did not answer${reason}. ${goOn}`,
        isError: false,
        card: cardOf(asked, kind),
      };
    }
    case "error":
      return failed(asked, `The question could not be asked: ${kind.value.errorMessage}. ${goOn}`);
    case undefined:
      return failed(asked, `The user gave no answer. ${goOn}`);
  }
}

function wordsOf(
  { options }: Question,
  { selectedOptionIds, freeformText }: AskQuestionSuccess_Answer,
): string {
  const labels = selectedOptionIds.map(
    (id) => options.find((_, place) => idOf(place) === id)?.label ?? `(unknown option ${id})`,
  );
  return [...labels, freeformText.trim()].filter(Boolean).join("; ") || "no answer";
}

const failed = (asked: AskArgs, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(asked, { case: "error", value: { errorMessage: reason } }),
});

type AskCard = Extract<Card, { readonly case: "askQuestionToolCall" }>["value"];

const cardOf = (asked: AskArgs, result?: NonNullable<AskCard["result"]>["result"]): Card => ({
  case: "askQuestionToolCall",
  value: { args: asked, ...(result ? { result: { result } } : {}) },
});
