/** A channel as it is being edited, what is wrong with it, and what is sent of it. Pure. */
import type {
  AddChannel,
  ChannelFields,
  ChannelView,
  Data,
  SetChannel,
} from "../../../src-main/contract/channels.ts";
import type { PlainKey } from "../../i18n/words.ts";
import { calledUrl, isLocal } from "./called.ts";

export interface HeaderRow {
  readonly name: string;
  /** "" of a secret one: what is sealed stays. */
  readonly value: string;
  readonly isSecret: boolean;
}

export interface Draft {
  readonly fields: ChannelFields;
  /** As typed; "": none. */
  readonly key: string;
  readonly wantsKey: boolean;
  readonly headers: readonly HeaderRow[];
  /** JSON as typed. */
  readonly body: string;
  /** `user:password`; "": what is sealed stays. */
  readonly proxyPassword: string;
}

/** As the program would fill them in; a test holds them against its own. */
export const usualFields: ChannelFields = {
  ...{ name: "", format: "openai-chat", baseUrl: "", model: "", label: "" },
  ...{ contextWindow: 128_000, maxOutputTokens: null, temperature: null, topP: null },
  ...{ tools: true, images: true, thinking: true, promptCache: true, parallelTools: true },
  ...{ effort: "default", instructions: "", auth: "format", extraHeaders: {}, secretHeaders: [] },
  ...{ extraBody: {}, connectTimeout: 15, firstTokenTimeout: 120, idleTimeout: 120 },
  ...{ tries: 4, concurrency: null, proxy: "app", caFile: null, prices: null, allowsPlainHttp: false },
  ...{ quirks: {}, note: "", colour: null },
};

export const emptyDraft: Draft = {
  ...{ fields: usualFields, key: "", wantsKey: true, headers: [], body: "", proxyPassword: "" },
};

export function draftOf(channel: ChannelView): Draft {
  const names = Object.keys(usualFields) as readonly (keyof ChannelFields)[];
  const fields = Object.fromEntries(names.map((name) => [name, channel[name]])) as unknown as ChannelFields;
  const plain = Object.entries(fields.extraHeaders).map(([name, value]) => ({
    name,
    value,
    isSecret: false,
  }));
  const secret = fields.secretHeaders.map((name) => ({ name, value: "", isSecret: true }));
  const hasBody = Object.keys(fields.extraBody).length > 0;
  return {
    ...{ fields, key: "", wantsKey: channel.key !== "none", proxyPassword: "" },
    headers: [...plain, ...secret],
    body: hasBody ? JSON.stringify(fields.extraBody, null, 2) : "",
  };
}

export const isSame = (a: Draft, b: Draft): boolean => JSON.stringify(a) === JSON.stringify(b);

export type Problems = { readonly [K in keyof ChannelFields | "key"]?: PlainKey };

/** What is seen before the program is asked, by field. */
export function problemsOf(draft: Draft, channel: ChannelView | null, all: readonly ChannelView[]): Problems {
  const { fields, key, wantsKey } = draft;
  const { name, baseUrl, model, contextWindow, maxOutputTokens } = fields;
  const isTaken = all.some((other) => other.id !== channel?.id && fold(other.name) === fold(name));
  const lacksKey = wantsKey && key.trim() === "" && !channel && !isLocal(baseUrl);
  const isTooMuch = maxOutputTokens !== null && maxOutputTokens >= contextWindow;
  return {
    ...(name.trim() === "" && { name: "form.needed" }),
    ...(isTaken && { name: "form.nameTaken" }),
    ...(calledUrl(fields) === null && { baseUrl: baseUrl.trim() === "" ? "form.needed" : "form.noAddress" }),
    ...(model.trim() === "" && { model: "form.needed" }),
    ...(!Number.isFinite(contextWindow) && { contextWindow: "form.needed" }),
    ...(isTooMuch && { maxOutputTokens: "form.maxOutputTooMuch" }),
    ...(lacksKey && { key: "form.keyNeeded" }),
    ...(bodyOf(draft.body) === null && { extraBody: "form.bodyInvalid" }),
  };
}

/** Case and width tell no names apart. */
const fold = (name: string): string => name.trim().normalize("NFKC").toLowerCase();

/** null: it is no JSON object. */
function bodyOf(text: string): Readonly<Record<string, Data>> | null {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, Data>>) : null;
  } catch {
    return null;
  }
}

export function sentOf(draft: Draft): Pick<SetChannel, "secrets"> & { readonly fields: ChannelFields } {
  const headers = draft.headers.filter(({ name }) => name.trim() !== "");
  const secret = headers.filter(({ isSecret }) => isSecret);
  const plain = headers.filter(({ isSecret }) => !isSecret);
  const typed = secret.filter(({ value }) => value !== "");
  return {
    fields: {
      ...draft.fields,
      extraHeaders: Object.fromEntries(plain.map(({ name, value }) => [name.trim(), value])),
      secretHeaders: secret.map(({ name }) => name.trim()),
      extraBody: bodyOf(draft.body) ?? {},
    },
    secrets: {
      headers: Object.fromEntries(typed.map(({ name, value }) => [name.trim(), value])),
      ...(draft.proxyPassword !== "" && { proxy: draft.proxyPassword }),
    },
  };
}

/** A new channel for each model; with several, each is called after its model. */
export function additionsOf(draft: Draft, models: readonly string[]): readonly AddChannel[] {
  const { fields, secrets } = sentOf(draft);
  const key = draft.key.trim() === "" ? null : draft.key;
  const wanted = models.length === 0 ? [fields.model] : models;
  return wanted.map((model) => ({
    fields: {
      ...fields,
      model,
      name: wanted.length > 1 ? `${fields.name} ${model}`.slice(0, 100) : fields.name,
    },
    key,
    ...(secrets && { secrets }),
  }));
}

/** Only what was changed: fields that this window does not know survive. */
export function changeOf(draft: Draft, before: ChannelView): SetChannel {
  const { fields, secrets } = sentOf(draft);
  const changed = Object.entries(fields).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof ChannelFields]),
  );
  return {
    id: before.id,
    fields: Object.fromEntries(changed),
    ...(draft.key.trim() !== "" ? { key: draft.key } : keyChange(draft, before)),
    ...(secrets && { secrets }),
  };
}

const keyChange = ({ wantsKey }: Draft, { key }: ChannelView): { readonly key?: null } =>
  !wantsKey && key !== "none" ? { key: null } : {};

export interface PartProps {
  readonly draft: Draft;
  readonly problems: Problems;
  readonly set: (fields: Partial<ChannelFields>) => void;
  readonly change: (own: Partial<Draft>) => void;
}
