/** Asks a server what it is, before or after it is a channel: which models it offers, which formats it speaks. */
import { z } from "zod";
import { OwnkeyError } from "../../base/errors.ts";
import type { DetectedFormat, ModelList, Probe } from "../../contract/channels.ts";
import { formats, type Surroundings } from "../../llm/create.ts";
import { knock, listModels } from "../../llm/exchange/models.ts";
import type { Channel, ChannelFormat } from "../../llm/types.ts";
import { parseBaseUrl } from "../base-url.ts";
import type { Outbound } from "../outbound/outbound.ts";
import { originOf } from "../provider-keys.ts";
import type { Channels } from "./channels.ts";
import { checkFields, cleanKey, defaults, fieldsOf, key, someFields, toChannel } from "./fields.ts";

export const probe: z.ZodType<Probe> = z.strictObject({
  fields: someFields.refine(
    ({ baseUrl }) => baseUrl !== undefined,
    "it needs a baseUrl",
  ) as unknown as z.ZodType<Probe["fields"]>,
  key,
  id: z.string().exactOptional(),
});

export interface ProbeParts {
  readonly channels: Channels;
  readonly outbound: Outbound;
  ownPorts(): readonly number[];
}

type Asked = {
  readonly channel: Channel;
  readonly key: string | null;
  readonly surroundings: Partial<Surroundings>;
};

/** Throws `config` for what cannot be asked. A stored key goes to the origin that it was given for, and to no other. */
function prepare({ fields, key: given, id }: Probe, { channels, outbound, ownPorts }: ProbeParts): Asked {
  const stored = id === undefined ? null : channels.get(id);
  const plain = { ...defaults, model: "model", ...(stored ? fieldsOf(stored) : {}), ...fields };
  const baseUrl = parseBaseUrl(plain.baseUrl, ownPorts(), plain.allowsPlainHttp);
  const channel = toChannel(stored?.id ?? "new", true, { ...checkFields(plain), baseUrl });
  const typed = given === null || given.trim() === "" ? null : cleanKey(given);
  const isSame = stored !== null && originOf(stored.baseUrl) === originOf(baseUrl);
  if (typed === null && isSame)
    return { channel, ...channels.open({ ...channel, secretHeaders: stored.secretHeaders }) };
  return {
    channel,
    key: typed,
    surroundings: { dispatcher: () => outbound.dispatcher(channel), hop: outbound.hop },
  };
}

export async function fetchModels(asked: Probe, parts: ProbeParts): Promise<ModelList> {
  const { channel, key: opened, surroundings } = prepare(asked, parts);
  try {
    return { ok: true, models: await listModels(channel, opened, surroundings) };
  } catch (reason) {
    const error = OwnkeyError.from(reason);
    const problem = problemOf(error, opened !== null);
    const advice = problem === "no list" ? " This server offers no list: type the model's ID." : "";
    return { ok: false, problem, message: `${error.message}${advice}` };
  }
}

type Problem = Extract<ModelList, { readonly ok: false }>["problem"];

const byCode: Readonly<Record<string, Problem>> = {
  tls: "tls",
  certificate: "tls",
  timeout_first_byte: "timeout",
  timeout_idle: "timeout",
  not_json: "not json",
};

function problemOf({ message, details }: OwnkeyError, hasKey: boolean): Problem {
  const { status, code } = details;
  if (status === 401 || status === 403) return hasKey ? "key refused" : "key missing";
  if (status === 404 || status === 405) return "no list";
  if (/ENOTFOUND|EAI_AGAIN/.test(message)) return "host not found";
  if (/ECONNREFUSED/.test(message)) return "refused";
  if (/TIMEOUT|ETIMEDOUT/.test(message)) return "timeout";
  return byCode[String(code)] ?? "other";
}

/** One request of nothing to each format's address: what is there complains about the request, what is not is 404. */
export async function detectFormats(asked: Probe, parts: ProbeParts): Promise<readonly DetectedFormat[]> {
  const names = Object.keys(formats) as ChannelFormat[];
  return Promise.all(
    names.map(async (format) => {
      const {
        channel,
        key: opened,
        surroundings,
      } = prepare({ ...asked, fields: { ...asked.fields, format } }, parts);
      const url = formats[format].requestUrl(channel);
      try {
        await knock(channel, opened, surroundings);
        return { format, url, status: 200, isLikely: true, message: "It answered." };
      } catch (reason) {
        const { message, details } = OwnkeyError.from(reason);
        const status = typeof details.status === "number" ? details.status : null;
        return {
          format,
          url,
          status,
          isLikely: status !== null && [400, 401, 403, 422, 429].includes(status),
          message,
        };
      }
    }),
  );
}
