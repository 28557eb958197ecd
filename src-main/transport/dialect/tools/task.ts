/**
 * Task: a piece of work for a subagent.
 *
 * The client opens a run of its own for it against the same server, and tells two of the same call apart by
 * parent_conversation_id and tool_call_id (PROTOCOL.md section 7). What comes back is its last message.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import { z } from "zod";
import type { SubagentResult } from "../../../gen/agent/v1/subagent_pb.ts";
import type { TaskArgsSchema } from "../../../gen/agent/v1/tools_pb.ts";
import type { ClientFacts, Setup } from "../../../loop/types.ts";
import { cutEnd, cutMiddle, subagentCharacters } from "./limits.ts";
import { type Card, defineTool, readReply, type ToolStep } from "./tool.ts";

const general = "generalPurpose";

const builtInKinds: readonly Kind[] = [
  { name: general, description: "anything", readonly: false },
  { name: "explore", description: "find things out, changes nothing", readonly: true },
  { name: "shell", description: "run commands", readonly: false },
];

const args = z.object({
  description: z.string().optional().describe("Three to five words."),
  prompt: z.string().min(1).describe("All it needs to know: it sees nothing of this conversation."),
  subagent_type: z.string().optional().describe(`Default ${general}.`),
  resume: z.string().min(1).optional().describe("Agent id of an earlier task, to go on with it."),
});
type Args = z.infer<typeof args>;

export const task = defineTool<Args>({
  name: "Task",
  readOnly: false,
  concurrent: true,
  forSubagents: false,
  card: "taskToolCall",
  args,
  describe: ({ client }) => {
    const kinds = kindsOf(client).map(({ name, description }) => `${name} (${description})`);
    return `Gives a self-contained piece of work to a subagent and returns its report. Several calls at once run side by side. Types: ${kinds.join("; ")}.`;
  },
  started: (given, { setup }) => cardOf(toCardArgs(given, kindOf(given, setup.client))),
  step(given, replies, { operationId, setup }) {
    const kind = kindOf(given, setup.client);
    const asked = toCardArgs(given, kind);
    const available = kindsOf(setup.client).map(({ name }) => name);
    if (!kind)
      return failed(
        asked,
        `There is no subagent ${given.subagent_type}. There are: ${available.join(", ")}.`,
      );
    const modelId = channelFor(kind, setup);
    if (modelId === null)
      return failed(asked, `The user switched ${kind.name} subagents off. Do this yourself.`);
    const [reply] = replies;
    if (!reply)
      return {
        type: "exec",
        message: {
          case: "subagentArgs",
          value: {
            toolCallId: operationId,
            subagentType: kind.name,
            modelId,
            prompt: given.prompt,
            readonly: kind.readonly,
            parentConversationId: setup.client.conversationId,
            ...(given.resume ? { resumeAgentId: given.resume } : {}),
          },
        },
      };
    const answer = readReply(reply, "subagentResult");
    if (typeof answer === "string") return failed(asked, answer);
    return outcomeOf(asked, answer);
  },
  failed: (given, reason) =>
    cardOf(
      { description: given.description ?? "", prompt: given.prompt ?? "" },
      { case: "error", value: { error: reason } },
    ),
});

interface Kind {
  readonly name: string;
  readonly description: string;
  readonly readonly: boolean;
}

const descriptionCharacters = 200;

/** A custom subagent of a built-in name replaces it: the client looks for the user's own first. */
function kindsOf({ subagents }: ClientFacts): readonly Kind[] {
  const own = subagents.map(({ name, description, readonly = false }) => ({
    name,
    description: cutEnd(description.replaceAll(/\s+/g, " ").trim(), descriptionCharacters),
    readonly,
  }));
  return [...builtInKinds.filter(({ name }) => !own.some((kind) => isSame(kind.name, name))), ...own];
}

const kindOf = ({ subagent_type }: Args, client: ClientFacts): Kind | null =>
  kindNamed(subagent_type || general, client);

const kindNamed = (wanted: string, client: ClientFacts): Kind | null =>
  kindsOf(client).find(({ name }) => isSame(name, wanted)) ?? null;

/** Whether a run is that of a subagent that is to change nothing: it says its kind, and not that it is read-only. */
export const isReadOnlyAgent = (client: ClientFacts): boolean =>
  client.subagentType !== null && kindNamed(client.subagentType, client)?.readonly === true;

/** Models write general-purpose, general_purpose and GeneralPurpose alike. */
const isSame = (a: string, b: string): boolean => folded(a) === folded(b);
const folded = (name: string): string => name.replaceAll(/[-_\s]/g, "").toLowerCase();

/** null: the user switched this kind off. */
function channelFor({ name }: Kind, { channelId, client }: Setup): string | null {
  const chosen = Object.entries(client.subagentChannels).find(([kind]) => isSame(kind, name));
  return chosen ? chosen[1] : channelId;
}

function outcomeOf(asked: TaskArgs, { result }: SubagentResult): ToolStep {
  switch (result.case) {
    case "success": {
      const { agentId, finalMessage } = result.value;
      const text = finalMessage?.trim() || "(the subagent ended without a message)";
      return {
        type: "done",
        text: `${cutMiddle(text, subagentCharacters)}\n\n${resumable(agentId)}`,
        isError: false,
        card: cardOf(asked, {
          case: "success",
          value: {
            agentId,
            conversationSteps: [{ message: { case: "assistantMessage", value: { text } } }],
          },
        }),
      };
    }
    case "error": {
      const { agentId, error } = result.value;
      return failed(asked, `The subagent failed: ${error}${agentId ? `\n${resumable(agentId)}` : ""}`);
    }
    case undefined:
      return failed(asked, "The subagent ended without a result.");
  }
}

const resumable = (agentId: string): string => `(agent id for resume: ${agentId})`;

const failed = (asked: TaskArgs, reason: string): ToolStep => ({
  type: "done",
  text: reason,
  isError: true,
  card: cardOf(asked, { case: "error", value: { error: reason } }),
});

type TaskArgs = MessageInitShape<typeof TaskArgsSchema>;

const toCardArgs = ({ description, prompt, subagent_type, resume }: Args, kind: Kind | null): TaskArgs => ({
  description: description ?? cutEnd(prompt, 60),
  prompt,
  subagentType: { type: typeOf(kind, subagent_type ?? "") },
  ...(resume ? { resume } : {}),
});

function typeOf(
  kind: Kind | null,
  wanted: string,
): NonNullable<NonNullable<TaskArgs["subagentType"]>["type"]> {
  switch (kind && builtInKinds.includes(kind) ? kind.name : null) {
    case "explore":
      return { case: "explore", value: {} };
    case "shell":
      return { case: "shell", value: {} };
    case general:
      return { case: "unspecified", value: {} };
    default:
      return { case: "custom", value: { name: kind?.name ?? wanted } };
  }
}

type TaskCard = Extract<Card, { readonly case: "taskToolCall" }>["value"];

const cardOf = (asked: TaskArgs, result?: NonNullable<TaskCard["result"]>["result"]): Card => ({
  case: "taskToolCall",
  value: { args: asked, ...(result ? { result: { result } } : {}) },
});
