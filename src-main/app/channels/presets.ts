/**
 * Providers whose address is known, as data.
 *
 * An address and the place where keys are made are facts of the provider's documentation. Abilities, windows and prices
 * belong to a model and change by the month: they are left to the model list and the user, not guessed.
 */
import type { Preset } from "../../contract/channels.ts";

const date = "2026-11-30";

const preset = (
  id: string,
  title: string,
  format: Preset["format"],
  baseUrl: string,
  keyVariable: string | null,
  keyUrl: string | null,
  source: string,
): Preset => ({
  id,
  title,
  format,
  baseUrl,
  needsKey: keyVariable !== null,
  keyVariable,
  keyUrl,
  source,
  date,
});

const local = (id: string, title: string, port: number, source: string): Preset =>
  preset(id, title, "openai-chat", `http://127.0.0.1:${port}/v1`, null, null, source);

export const presets: readonly Preset[] = [
  preset(
    "openai",
    "OpenAI",
    "openai-responses",
    "https://api.openai.com/v1",
    "OPENAI_API_KEY",
    "https://platform.openai.com/api-keys",
    "platform.openai.com/docs/api-reference",
  ),
  preset(
    "anthropic",
    "Anthropic",
    "anthropic",
    "https://api.anthropic.com",
    "ANTHROPIC_API_KEY",
    "https://console.anthropic.com/settings/keys",
    "docs.anthropic.com/en/api",
  ),
  preset(
    "gemini",
    "Google Gemini",
    "gemini",
    "https://generativelanguage.googleapis.com",
    "GEMINI_API_KEY",
    "https://aistudio.google.com/apikey",
    "ai.google.dev/api",
  ),
  preset(
    "deepseek",
    "DeepSeek",
    "openai-chat",
    "https://api.deepseek.com/v1",
    "DEEPSEEK_API_KEY",
    "https://platform.deepseek.com/api_keys",
    "api-docs.deepseek.com",
  ),
  preset(
    "moonshot",
    "Moonshot",
    "openai-chat",
    "https://api.moonshot.cn/v1",
    "MOONSHOT_API_KEY",
    "https://platform.moonshot.cn/console/api-keys",
    "platform.moonshot.cn/docs",
  ),
  preset(
    "zhipu",
    "Zhipu",
    "openai-chat",
    "https://open.bigmodel.cn/api/paas/v4",
    "ZHIPUAI_API_KEY",
    "https://open.bigmodel.cn/usercenter/apikeys",
    "open.bigmodel.cn/dev/api",
  ),
  preset(
    "qwen",
    "Qwen (Bailian)",
    "openai-chat",
    "https://dashscope.aliyuncs.com/compatible-mode/v1",
    "DASHSCOPE_API_KEY",
    "https://bailian.console.aliyun.com",
    "help.aliyun.com/zh/model-studio",
  ),
  preset(
    "minimax",
    "MiniMax",
    "openai-chat",
    "https://api.minimax.chat/v1",
    "MINIMAX_API_KEY",
    "https://platform.minimaxi.com",
    "platform.minimaxi.com/document",
  ),
  preset(
    "siliconflow",
    "SiliconFlow",
    "openai-chat",
    "https://api.siliconflow.cn/v1",
    "SILICONFLOW_API_KEY",
    "https://cloud.siliconflow.cn/account/ak",
    "docs.siliconflow.cn",
  ),
  preset(
    "openrouter",
    "OpenRouter",
    "openai-chat",
    "https://openrouter.ai/api/v1",
    "OPENROUTER_API_KEY",
    "https://openrouter.ai/settings/keys",
    "openrouter.ai/docs",
  ),
  preset(
    "groq",
    "Groq",
    "openai-chat",
    "https://api.groq.com/openai/v1",
    "GROQ_API_KEY",
    "https://console.groq.com/keys",
    "console.groq.com/docs",
  ),
  preset(
    "xai",
    "xAI",
    "openai-chat",
    "https://api.x.ai/v1",
    "XAI_API_KEY",
    "https://console.x.ai",
    "docs.x.ai",
  ),
  preset(
    "mistral",
    "Mistral",
    "openai-chat",
    "https://api.mistral.ai/v1",
    "MISTRAL_API_KEY",
    "https://console.mistral.ai/api-keys",
    "docs.mistral.ai",
  ),
  local("ollama", "Ollama", 11_434, "docs.ollama.com"),
  local("lmstudio", "LM Studio", 1234, "lmstudio.ai/docs"),
  local("vllm", "vLLM", 8000, "docs.vllm.ai"),
  { ...preset("other", "Another compatible server", "openai-chat", "", null, null, ""), needsKey: true },
];
