/**
 * What fills the model's context, for the client's meter: estimates.
 *
 * A history grows at its end only, so each message is counted once; the counts of an epoch are given up with it.
 */
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { PromptTokenBreakdownSnapshotSchema } from "../../gen/agent/v1/conversation_pb.ts";
import type { PromptContextUsageTreeSchema } from "../../gen/agent/v1/models_pb.ts";
import type { Message } from "../../llm/types.ts";
import { charactersOf, toTokens } from "../../loop/size.ts";
import type { ConversationState, Setup } from "../../loop/types.ts";

/** By the ids that the client knows, in the order in which it shows them. */
const labels = {
  system_prompt: "System prompt",
  tools: "Tools",
  rules: "Rules",
  skills: "Skills",
  mcp: "MCP",
  subagents: "Subagents",
  summarized_conversation: "Summarized conversation",
  conversation: "Conversation",
} as const;

type Category = keyof typeof labels;
type Characters = Record<Category, number>;
const categories = Object.keys(labels) as Category[];

/** A part of the context. */
export interface Share {
  readonly id: Category;
  readonly label: string;
  readonly characters: number;
  readonly tokens: number;
}

export class ContextMeter {
  #epoch = 0;
  #counted = 0;
  #history = nothing();
  #setup: Setup | null = null;
  #fixed = nothing();

  measure({ epoch, messages, run }: ConversationState): readonly Share[] {
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#counted = 0;
      this.#history = nothing();
    }
    for (const message of messages.slice(this.#counted))
      this.#history[categoryOf(message)] += charactersOf(message);
    this.#counted = messages.length;
    if (run && run.setup !== this.#setup) {
      this.#setup = run.setup;
      this.#fixed = charactersIn(run.setup);
    }
    return categories.map((id) => {
      const characters = this.#history[id] + this.#fixed[id];
      return { id, label: labels[id], characters, tokens: toTokens(characters) };
    });
  }
}

export const totalTokens = (shares: readonly Share[]): number =>
  shares.reduce((sum, { tokens }) => sum + tokens, 0);

export const toBreakdown = (
  shares: readonly Share[],
  maxTokens: number,
): MessageInitShape<typeof PromptTokenBreakdownSnapshotSchema> => ({
  totalUsedTokens: totalTokens(shares),
  maxTokens,
  categories: shares.map(({ id, label, characters, tokens }) => ({
    id,
    label,
    estimatedTokens: tokens,
    characterCount: characters,
  })),
});

export const toTree = (shares: readonly Share[]): MessageInitShape<typeof PromptContextUsageTreeSchema> => ({
  schemaVersion: 1,
  nodes: shares.map(({ id, label, characters, tokens }) => ({
    id,
    kind: "category",
    label,
    categoryId: id,
    estimatedTokens: tokens,
    characterCount: characters,
  })),
});

const nothing = (): Characters => ({
  system_prompt: 0,
  tools: 0,
  rules: 0,
  skills: 0,
  mcp: 0,
  subagents: 0,
  summarized_conversation: 0,
  conversation: 0,
});

/** What goes out with every call beside the history. Subagents are told within a tool's description. */
function charactersIn({ system, tools, client }: Setup): Characters {
  const told = client.subagents.filter(({ description }) =>
    tools.some((tool) => tool.description.includes(description)),
  );
  const subagents = told.reduce((sum, { name, description }) => sum + name.length + description.length, 0);
  const sizes = tools.map((tool) => ({
    isServers: tool.mcp !== undefined,
    size: tool.name.length + tool.description.length + JSON.stringify(tool.schema).length,
  }));
  const of = (servers: boolean) =>
    sizes.reduce((total, { isServers, size }) => total + (isServers === servers ? size : 0), 0);
  return {
    ...nothing(),
    system_prompt: system.length,
    tools: of(false) - subagents,
    mcp: of(true),
    subagents,
  };
}

/** Context messages by the tag they begin with (context.ts, earlier.ts). */
const byTag = new Map<string, Category>([
  ["rules", "rules"],
  ["skills", "skills"],
  ["mcp", "mcp"],
  ["summary", "summarized_conversation"],
  ["earlier_conversation", "summarized_conversation"],
]);

function categoryOf(message: Message): Category {
  if (message.role !== "context") return "conversation";
  return byTag.get(/^<(\w+)>/.exec(message.text)?.[1] ?? "") ?? "conversation";
}
