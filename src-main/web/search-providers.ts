/** The search providers that want a key: their names for people, and the one address where each is asked. */
export const keyedProviders = {
  brave: { name: "Brave", address: "https://api.search.brave.com/res/v1/web/search" },
  tavily: { name: "Tavily", address: "https://api.tavily.com/search" },
  exa: { name: "Exa", address: "https://api.exa.ai/search" },
} as const;

export type KeyedProvider = keyof typeof keyedProviders;
