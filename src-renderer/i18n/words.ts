/** Texts, numbers and times in one language. Pure: the language comes in, nothing is remembered. */
import { texts } from "./texts.ts";

export type TextKey = keyof typeof texts;
type English<K extends TextKey> = (typeof texts)[K][0];

/** pseudo: English two fifths longer, to see where a window has no room for a language that is. */
const catalogues = { en: catalogueOf(0), "zh-CN": catalogueOf(1), pseudo: longer(catalogueOf(0)) } as const;

export type Language = keyof typeof catalogues;
/** The common beginning of the .one and .other forms. */
export type PluralKey = TextKey extends infer K ? (K extends `${infer Base}.one` ? Base : never) : never;
/** A text without placeholders, for tables of texts. */
export type PlainKey = { [K in TextKey]: [Names<English<K>>] extends [never] ? K : never }[TextKey];

type Names<S extends string> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never;
type Fill<Name extends string> = { readonly [K in Name]: string };
/** Nothing to pass for a text without placeholders, everything for one with. */
type FillOf<K extends TextKey> = [Names<English<K>>] extends [never] ? [] : [fill: Fill<Names<English<K>>>];
type PluralFillOf<K extends PluralKey> = [Exclude<Names<English<`${K}.other`>>, "n">] extends [never]
  ? []
  : [fill: Fill<Exclude<Names<English<`${K}.other`>>, "n">>];

export interface Words {
  readonly language: Language;
  text<K extends TextKey>(key: K, ...fill: FillOf<K>): string;
  /** `n` is filled in as a number of the language. */
  plural<K extends PluralKey>(key: K, n: number, ...fill: PluralFillOf<K>): string;
  /** The text around its placeholders, for values that are elements: ["before ", {name}, " after"]. */
  pieces(key: TextKey): readonly (string | { readonly name: string })[];
  number(value: number): string;
  /** As short as it can be told: 38K, in every language, since tokens are counted so everywhere. */
  compact(value: number): string;
  /** Small sums are what tokens cost: with four digits. `currency`: as in ISO 4217. */
  money(amount: number, currency: string): string;
  /** Of a share between 0 and 1. */
  percent(share: number): string;
  /** The time of day with seconds, with the date when it is not `nowMs`'s. */
  time(ms: number, nowMs: number): string;
  /** As short as it can be told in a list: the time of day today, else the date. */
  moment(ms: number, nowMs: number): string;
  /** The day, with its year. */
  date(ms: number): string;
  bytes(count: number): string;
  /** Milliseconds below ten seconds as "340ms" or "1.2s", whole seconds above. */
  duration(ms: number): string;
}

export function createWords(language: Language, timeZone?: string): Words {
  const locale = language === "pseudo" ? "en" : language;
  const catalogue: Readonly<Record<TextKey, string>> = catalogues[language];
  const zone = timeZone === undefined ? {} : { timeZone };
  const plurals = new Intl.PluralRules(locale);
  const numbers = new Intl.NumberFormat(locale, { maximumFractionDigits: 0 });
  const compacts = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 3 });
  const percents = new Intl.NumberFormat(locale, { style: "percent" });
  const days = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: "short" });
  const clock = { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" } as const;
  const times = new Intl.DateTimeFormat(locale, { ...zone, ...clock });
  const datedTimes = new Intl.DateTimeFormat(locale, { ...zone, ...clock, month: "short", day: "numeric" });
  const shortTimes = new Intl.DateTimeFormat(locale, {
    ...zone,
    hour: "2-digit",
    minute: "2-digit",
    hourCycle: "h23",
  });
  const shortDays = new Intl.DateTimeFormat(locale, { ...zone, month: "short", day: "numeric" });
  const longDays = new Intl.DateTimeFormat(locale, { ...zone, dateStyle: "medium" });
  const byteUnits = (["byte", "kilobyte", "megabyte", "gigabyte"] as const).map(
    (unit) =>
      new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay: "narrow", maximumFractionDigits: 1 }),
  );
  const unit = (name: "millisecond" | "second", digits: number) =>
    new Intl.NumberFormat(locale, {
      style: "unit",
      unitDisplay: "narrow",
      unit: name,
      maximumFractionDigits: digits,
    });
  const milliseconds = unit("millisecond", 0);
  const fineSeconds = unit("second", 1);
  const seconds = unit("second", 0);

  return {
    language,
    text: (key, ...fill) => fillIn(catalogue[key], fill[0] ?? {}),
    plural(key, n, ...fill) {
      const form = plurals.select(n) === "one" ? "one" : "other";
      return fillIn(catalogue[`${key}.${form}`], { ...fill[0], n: numbers.format(n) });
    },
    pieces: (key) => piecesOf(catalogue[key]),
    number: (value) => numbers.format(value),
    compact: (value) => compacts.format(value),
    money: (amount, currency) =>
      new Intl.NumberFormat(locale, {
        ...{ style: "currency", currency, minimumFractionDigits: 2 },
        maximumFractionDigits: amount < 10 ? 4 : 2,
      }).format(amount),
    percent: (share) => percents.format(share),
    time(ms, nowMs) {
      const isToday = days.format(ms) === days.format(nowMs);
      return (isToday ? times : datedTimes).format(ms);
    },
    moment(ms, nowMs) {
      if (days.format(ms) === days.format(nowMs)) return shortTimes.format(ms);
      const isThisYear = new Date(ms).getFullYear() === new Date(nowMs).getFullYear();
      return (isThisYear ? shortDays : days).format(ms);
    },
    date: (ms) => longDays.format(ms),
    bytes(count) {
      const power = Math.min(3, Math.floor(Math.log2(Math.max(1, count)) / 10));
      return byteUnits[power]?.format(count / 1024 ** power) ?? "";
    },
    duration(ms) {
      if (ms < 999.5) return milliseconds.format(ms);
      return ms < 9950 ? fineSeconds.format(ms / 1000) : seconds.format(ms / 1000);
    },
  };
}

function catalogueOf(language: 0 | 1): Readonly<Record<TextKey, string>> {
  const entries = Object.entries(texts).map(([key, text]) => [key, text[language]]);
  return Object.fromEntries(entries) as Record<TextKey, string>;
}

function longer<K extends string>(texts: Readonly<Record<K, string>>): Readonly<Record<K, string>> {
  const entries = Object.entries<string>(texts).map(([key, text]) => [
    key,
    `${text} ${"wide ".repeat(Math.ceil(text.length / 12))}`.trim(),
  ]);
  return Object.fromEntries(entries) as Record<K, string>;
}

/** The first language of the list that we speak; any Chinese is better served by ours than by English. */
export function pickLanguage(wanted: readonly string[]): Language {
  for (const tag of wanted) {
    const [language] = tag.toLowerCase().split("-");
    if (language === "zh") return "zh-CN";
    if (language === "en") return "en";
  }
  return "en";
}

const fillIn = (text: string, fill: Readonly<Record<string, string>>): string =>
  piecesOf(text)
    .map((piece) => (typeof piece === "string" ? piece : (fill[piece.name] ?? "")))
    .join("");

/** split with one group yields text, name, text, name ... */
const piecesOf = (text: string): readonly (string | { readonly name: string })[] =>
  text.split(/\{(\w+)\}/).map((piece, index) => (index % 2 === 0 ? piece : { name: piece }));
