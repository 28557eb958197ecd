/**
 * The user's settings: one table, a row a setting. A new one is a line in the contract's `Settings` and a row here.
 *
 * What was never set, or cannot be read any more, has its default.
 */
import { z } from "zod";
import type { Json } from "../base/json.ts";
import type { Settings } from "../contract/program.ts";
import type { Settings as Rows } from "../store/settings.ts";

interface Row<T> {
  readonly parser: z.ZodType<T>;
  readonly default: T;
}

const table: { readonly [K in keyof Settings]: Row<Settings[K]> } = {
  keepDays: { parser: z.int().min(1).max(36_500).nullable(), default: null },
  dailyBackups: { parser: z.boolean(), default: true },
  compactPercent: { parser: z.int().min(10).max(100), default: 85 },
  smallCalls: { parser: z.string().max(100).nullable(), default: null },
  updates: { parser: z.boolean(), default: false },
  window: {
    parser: z.strictObject({
      language: z.enum(["system", "en", "zh-CN"]),
      theme: z.enum(["system", "light", "dark"]),
      density: z.enum(["comfortable", "compact"]),
      letterKeys: z.boolean(),
      inspector: z.enum(["bottom", "right"]),
      firstRun: z.enum(["unknown", "open", "done"]),
      firstStep: z.string().max(40),
      filters: z.array(z.string().min(1).max(500)).max(50),
    }),
    default: {
      ...{ language: "system", theme: "system", density: "comfortable", letterKeys: true },
      ...{ inspector: "bottom", firstRun: "unknown", firstStep: "", filters: [] },
    },
  },
};

const names = Object.keys(table) as readonly (keyof Settings)[];

const optional = Object.fromEntries(names.map((name) => [name, table[name].parser.exactOptional()]));
export const setSettings = z.strictObject(optional) as unknown as z.ZodType<Partial<Settings>>;

export interface UserSettings {
  get(): Settings;
  /** Returns all of them, as they are then. */
  set(change: Partial<Settings>): Settings;
}

export function createUserSettings(rows: Rows): UserSettings {
  const currentOf = (name: keyof Settings) => {
    const row = table[name];
    const stored = rows.find(`user.${name}`);
    return stored === undefined ? row.default : (row.parser.safeParse(stored).data ?? row.default);
  };
  const get = (): Settings =>
    Object.fromEntries(names.map((name) => [name, currentOf(name)])) as unknown as Settings;
  return {
    get,
    set(change) {
      for (const name of names) {
        const value = change[name];
        if (value !== undefined) rows.set(`user.${name}`, value as Json);
      }
      return get();
    },
  };
}
