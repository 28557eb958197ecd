/** WriteShellStdin: answers to a background shell that asks. */
import { z } from "zod";
import { type Card, defineTool, readReply, type ToolStep } from "./tool.ts";

const args = z.object({
  shell_id: z.int().min(0),
  chars: z.string().min(1).describe("End it with a newline where Enter would be pressed."),
});
type Args = z.infer<typeof args>;

export const writeShellStdin = defineTool<Args>({
  name: "WriteShellStdin",
  readOnly: false,
  card: "writeShellStdinToolCall",
  args,
  describe: () => "Writes to the standard input of a shell that was started with is_background.",
  started: (given) => cardOf(given),
  step(given, [reply]) {
    const { shell_id: shellId, chars } = given;
    if (!reply) return { type: "exec", message: { case: "writeShellStdinArgs", value: { shellId, chars } } };
    const answer = readReply(reply, "writeShellStdinResult");
    if (typeof answer === "string") return failed(given, answer);
    const { result } = answer;
    switch (result.case) {
      case "success":
        return {
          type: "done",
          text: `Written to shell ${shellId}. AwaitShell shows what it says to it.`,
          isError: false,
          card: cardOf(given, result),
        };
      case "error":
        return failed(given, `${result.value.error}. Only a shell that still runs takes input.`);
      case undefined:
        return failed(given, "The client did not say whether the text was written.");
    }
  },
  failed: (given, reason) => cardOf(given, { case: "error", value: { error: reason } }),
  touches: ({ chars }) => ({ paths: [], text: chars }),
});

const failed = (given: Args, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(given, { case: "error", value: { error: reason } }),
});

type StdinCard = Extract<Card, { readonly case: "writeShellStdinToolCall" }>["value"];

const cardOf = (given: Partial<Args>, result?: NonNullable<StdinCard["result"]>["result"]): Card => ({
  case: "writeShellStdinToolCall",
  value: {
    args: { shellId: given.shell_id ?? 0, chars: given.chars ?? "" },
    ...(result ? { result: { result } } : {}),
  },
});
