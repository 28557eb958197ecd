/**
 * What compatible servers want differently in a request, as a table of flags: detected by the host or the model,
 * overruled by the user.
 *
 * Only requests need flags. What comes back is read by its shape, whoever sent it: a missing index, an empty id or
 * thinking in a third field look the same from every server.
 */
import type { Channel, ChannelFormat } from "./types.ts";

export type QuirkName = keyof typeof quirks;

interface Quirk {
  readonly format: ChannelFormat;
  /** One sentence for people. */
  readonly what: string;
  /** What it looks like on the wire. */
  readonly example: string;
  /** Where it was seen. */
  readonly source: string;
  detect(channel: Pick<Channel, "model">, host: string): boolean;
}

export const quirks = {
  shortToolIds: {
    format: "openai-chat",
    what: "Ids of tool calls have exactly nine letters and digits.",
    example: '"tool_call_id":"a1b2c3d4e"',
    source: "Mistral: 400 for any other id",
    detect: (_, host) => isAt(host, "mistral.ai"),
  },
  maxCompletionTokens: {
    format: "openai-chat",
    what: "The output limit is called max_completion_tokens.",
    example: '"max_completion_tokens":4096',
    source: "OpenAI from o1 on and Azure refuse max_tokens; others know only that",
    detect: (_, host) => isAt(host, "api.openai.com") || isAt(host, "openai.azure.com"),
  },
  reasoningAlways: {
    format: "openai-chat",
    what: "Every answer with tool calls goes back with reasoning_content, also an empty one.",
    example: '"reasoning_content":"","tool_calls":[...]',
    source: 'DeepSeek, Moonshot: 400 "must be passed back" when it is missing',
    detect: ({ model }, host) =>
      isAt(host, "deepseek.com", "moonshot.cn", "moonshot.ai") && !/-chat$/.test(model),
  },
  thinkingType: {
    format: "openai-chat",
    what: "Thinking is switched by an object.",
    example: '"thinking":{"type":"disabled"}',
    source: "DeepSeek, Zhipu, Moonshot: documentation, 2026-11",
    detect: (_, host) => isAt(host, "deepseek.com", "bigmodel.cn", "z.ai", "moonshot.cn", "moonshot.ai"),
  },
  enableThinking: {
    format: "openai-chat",
    what: "Thinking is switched by enable_thinking, its budget is thinking_budget.",
    example: '"enable_thinking":true,"thinking_budget":4096',
    source: "Qwen (Bailian), SiliconFlow: documentation, 2026-11",
    detect: (_, host) => isAt(host, "aliyuncs.com", "siliconflow.cn", "siliconflow.com"),
  },
  reasoningObject: {
    format: "openai-chat",
    what: "Thinking is steered by a reasoning object.",
    example: '"reasoning":{"effort":"high"}',
    source: "OpenRouter: documentation, 2026-11",
    detect: (_, host) => isAt(host, "openrouter.ai"),
  },
  thinkingAlways: {
    format: "anthropic",
    what: "Once the model thinks, every answer with tool calls goes back with a thinking block, also an empty one.",
    example: '{"type":"thinking","thinking":"","signature":""}',
    source: 'DeepSeek\'s Anthropic API and its kin: 400 "content[].thinking must be passed back"',
    detect: (_, host) =>
      isAt(host, "deepseek.com", "moonshot.cn", "moonshot.ai", "minimaxi.com", "minimax.chat"),
  },
} as const satisfies Readonly<Record<string, Quirk>>;

/** The user's word, else what is detected. */
export function hasQuirk(channel: Channel, name: QuirkName): boolean {
  return channel.format === quirks[name].format && (channel.quirks[name] ?? detected(channel, name));
}

/** What is so where the user says nothing; of the channel's format. */
export function detectedQuirks(channel: Channel): Readonly<Record<string, boolean>> {
  const names = (Object.keys(quirks) as QuirkName[]).filter((name) => quirks[name].format === channel.format);
  return Object.fromEntries(names.map((name) => [name, detected(channel, name)]));
}

const detected = (channel: Channel, name: QuirkName): boolean =>
  quirks[name].detect(channel, new URL(channel.baseUrl).hostname);

const isAt = (host: string, ...domains: readonly string[]): boolean =>
  domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
