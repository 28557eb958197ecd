/** What OpenAI's models refuse, by their names; others' names tell nothing and get what the user set. */

/** Seen: "Unsupported parameter: temperature" (o1 and later, gpt-5). */
export const refusesSampling = (model: string): boolean => /^(o\d|gpt-5)/.test(model);

/** Seen: "Encrypted content is not supported with this model" (gpt-4o and before). */
export const thinks = (model: string): boolean => !/(^|\/)(gpt-[34]|chatgpt-4)/.test(model);
