/** OpenAI's chat completions, from the server's side. */
import type { ChatMessage, Voice } from "../upstream.ts";

/** Looked into at will: what came over the wire, after JSON. */
export type Body = ReturnType<typeof JSON.parse>;

/** What a request says, in the words of chat completions. */
export interface Heard {
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly string[];
  /** Why the API's own server would refuse it; null: it would not. */
  readonly problem: string | null;
}

export interface Api {
  read(body: Body): Heard;
  speak(write: (event: string | null, data: object | string) => void): Voice;
}

export const chat: Api = {
  read: ({ messages, tools = [] }) => ({
    messages,
    tools: tools.map((tool: Body) => tool.function.name),
    problem: unpaired(messages),
  }),
  speak(write) {
    let calls = 0;
    const chunk = (delta: object, reason: string | null = null) =>
      write(null, { choices: [{ index: 0, delta, finish_reason: reason }] });
    return {
      thinking: (reasoning) => chunk({ reasoning_content: reasoning }),
      text: (content) => chunk({ content }),
      call(name, args, id) {
        const index = calls++;
        const half = Math.ceil(args.length / 2);
        chunk({ tool_calls: [{ index, id, type: "function", function: { name, arguments: "" } }] });
        for (const piece of [args.slice(0, half), args.slice(half)])
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] });
      },
      finish(reason, tokens) {
        chunk({}, reason);
        write(null, {
          choices: [],
          usage: {
            prompt_tokens: tokens.prompt,
            completion_tokens: tokens.output,
            prompt_tokens_details: { cached_tokens: tokens.cached },
          },
        });
        write(null, "[DONE]");
      },
    };
  },
};

/** Each call has its result right behind the answer, each result its call, and no id comes twice. */
export function unpaired(messages: readonly ChatMessage[]): string | null {
  const open = new Set<string>();
  const seen = new Set<string>();
  for (const message of messages) {
    const problem = message.role === "tool" ? closes(message, open) : begins(message, open, seen);
    if (problem !== null) return problem;
  }
  return open.size > 0 ? `no result for ${[...open].join(", ")}` : null;
}

const closes = ({ tool_call_id: id = "" }: ChatMessage, open: Set<string>): string | null =>
  open.delete(id) ? null : `unexpected result ${id}`;

function begins(
  { role, tool_calls: calls = [] }: ChatMessage,
  open: Set<string>,
  seen: Set<string>,
): string | null {
  if (open.size > 0) return `no result for ${[...open].join(", ")}`;
  for (const { id } of role === "assistant" ? calls : []) {
    if (id === "" || seen.has(id)) return `ids must be unique: ${id}`;
    seen.add(id);
    open.add(id);
  }
  return null;
}

export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: string }) => part.text ?? "").join("\n");
}
