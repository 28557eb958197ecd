/** Well-known providers: where their API is and a model to begin with, so that only the key has to be asked for. */
export interface Preset {
  readonly name: string;
  readonly baseUrl: string;
  readonly model: string;
  /** Tokens. */
  readonly contextWindow: number;
  /** Where a key is made; null: this one wants none. */
  readonly keysAt: string | null;
}

export const presets: readonly Preset[] = [
  {
    name: "DeepSeek",
    baseUrl: "https://api.deepseek.com/v1",
    model: "deepseek-chat",
    contextWindow: 128_000,
    keysAt: "https://platform.deepseek.com/api_keys",
  },
  {
    name: "OpenAI",
    baseUrl: "https://api.openai.com/v1",
    model: "gpt-5",
    contextWindow: 400_000,
    keysAt: "https://platform.openai.com/api-keys",
  },
  {
    name: "Moonshot",
    baseUrl: "https://api.moonshot.cn/v1",
    model: "kimi-k2",
    contextWindow: 256_000,
    keysAt: "https://platform.moonshot.cn/console/api-keys",
  },
  {
    name: "智谱 Zhipu",
    baseUrl: "https://open.bigmodel.cn/api/paas/v4",
    model: "glm-4.6",
    contextWindow: 200_000,
    keysAt: "https://open.bigmodel.cn/usercenter/apikeys",
  },
  {
    name: "通义千问 Qwen",
    baseUrl: "https://dashscope.aliyuncs.com/compatible-mode/v1",
    model: "qwen3-coder-plus",
    contextWindow: 256_000,
    keysAt: "https://bailian.console.aliyun.com",
  },
  {
    name: "SiliconFlow",
    baseUrl: "https://api.siliconflow.cn/v1",
    model: "deepseek-ai/DeepSeek-V3.2",
    contextWindow: 128_000,
    keysAt: "https://cloud.siliconflow.cn/account/ak",
  },
  {
    name: "OpenRouter",
    baseUrl: "https://openrouter.ai/api/v1",
    model: "deepseek/deepseek-chat",
    contextWindow: 128_000,
    keysAt: "https://openrouter.ai/settings/keys",
  },
  {
    name: "Ollama",
    baseUrl: "http://127.0.0.1:11434/v1",
    model: "qwen3",
    contextWindow: 32_000,
    keysAt: null,
  },
  {
    name: "LM Studio",
    baseUrl: "http://127.0.0.1:1234/v1",
    model: "qwen3-coder",
    contextWindow: 32_000,
    keysAt: null,
  },
];
