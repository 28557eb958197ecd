/** SwitchMode: another mode for the rest of the run, when the user agrees. Prompt and tools follow with the next call. */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { z } from "zod";
import type { SwitchModeArgsSchema, SwitchModeRequestResponse } from "../../../gen/agent/v1/queries_pb.ts";
import type { Mode, StepContext } from "../../../loop/types.ts";
import { type Card, defineTool, readAnswer, type ToolStep } from "./tool.ts";

const modes = ["agent", "ask", "plan", "debug"] as const satisfies readonly Mode[];

const args = z.object({
  target_mode_id: z.enum(modes),
  explanation: z.string().optional().describe("Why, in a sentence for the user."),
});
type Args = z.infer<typeof args>;

export const switchMode = defineTool<Args>({
  name: "SwitchMode",
  readOnly: false,
  modes,
  forSubagents: false,
  card: "switchModeToolCall",
  args,
  describe: () =>
    "Asks the user to switch the mode: agent to carry out, plan to agree on larger work first, debug to hunt a fault, ask to answer only.",
  started: (given, context) => cardOf(toArgs(given, context)),
  step(given, replies, context) {
    const asked = toArgs(given, context);
    const { mode } = context.setup;
    if (given.target_mode_id === mode) return failed(asked, `The mode is ${mode} already.`);
    const [reply] = replies;
    if (!reply) return { type: "query", query: { case: "switchModeRequestQuery", value: { args: asked } } };
    const answer = readAnswer(reply, "switchModeRequestResponse");
    if (typeof answer === "string") return failed(asked, answer);
    return answered(asked, mode, given.target_mode_id, answer);
  },
  failed: (given, reason) =>
    cardOf({ targetModeId: given.target_mode_id ?? "" }, { case: "error", value: { error: reason } }),
});

type ModeArgs = MessageInitShape<typeof SwitchModeArgsSchema>;

const toArgs = (given: Args, { operationId }: Pick<StepContext, "operationId">): ModeArgs => ({
  targetModeId: given.target_mode_id,
  toolCallId: operationId,
  ...(given.explanation ? { explanation: given.explanation } : {}),
});

function answered(asked: ModeArgs, from: Mode, to: Mode, { result }: SwitchModeRequestResponse): ToolStep {
  switch (result.case) {
    case "approved":
      return {
        type: "done",
        text: `The mode is ${to} now; the tools are those of this mode.`,
        isError: false,
        card: cardOf(asked, { case: "success", value: { fromModeId: from, toModeId: to } }),
        effect: { type: "mode", mode: to },
      };
    case "rejected": {
      const { reason } = result.value;
      return {
        type: "done",
        text: `The user did not allow the switch; the mode stays ${from}.${reason ? ` Reason: ${reason}` : ""}`,
        isError: true,
        card: cardOf(asked, { case: "rejected", value: { reason } }),
      };
    }
    case undefined:
      return failed(asked, `The user gave no answer; the mode stays ${from}.`);
  }
}

const failed = (asked: ModeArgs, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(asked, { case: "error", value: { error: reason } }),
});

type ModeCard = Extract<Card, { readonly case: "switchModeToolCall" }>["value"];

const cardOf = (asked: ModeArgs, result?: NonNullable<ModeCard["result"]>["result"]): Card => ({
  case: "switchModeToolCall",
  value: { args: asked, ...(result ? { result: { result } } : {}) },
});
