/** Foreign JSON, narrowed by hand: this runs once a token, where a schema library would cost more than the parsing. */
export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** null for anything that is no count. */
export const countOf = (value: unknown): number | null =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? Math.floor(value) : null;
