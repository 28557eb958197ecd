/** What models a server offers. Read by shape: the four APIs and their kin answer in two forms. */

import { systemClock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import { formats, headersOf, limitsOf, type Surroundings } from "../create.ts";
import { failure, llmErrorOf, thrown, upstreamOf } from "../failure/errors.ts";
import { countOf, type Fields, isFields, stringOf } from "../fields.ts";
import type { Channel } from "../types.ts";
import { directDispatcher } from "./direct-dispatcher.ts";
import { Guard } from "./guard.ts";
import { type HttpRequest, readText, send } from "./http.ts";

export interface Model {
  readonly id: string;
  readonly contextWindow: number | null;
  readonly maxOutputTokens: number | null;
}

const longestList = 8 * 1024 * 1024;
const mostModels = 5_000;
const mostPatienceMs = 20_000;

/** Throws an OwnkeyError whose details hold the `code` of an LlmError, and the HTTP `status`. */
export async function listModels(
  channel: Channel,
  key: string | null,
  surroundings: Partial<Surroundings> = {},
): Promise<readonly Model[]> {
  const url = formats[channel.format].modelsUrl(channel);
  const text = await exchange({ method: "GET", url, body: null }, channel, key, surroundings);
  const models = modelsIn(text);
  if (models) return models;
  const message = `${new URL(url).host} did not answer with a list of models.`;
  throw thrown(failure("upstream", "not_json", message, false));
}

/** Posts nothing to where the channel's requests go. Throws as `listModels` does, which is the rule here. */
export const knock = (
  channel: Channel,
  key: string | null,
  surroundings: Partial<Surroundings>,
): Promise<string> =>
  exchange(
    { method: "POST", url: formats[channel.format].requestUrl(channel), body: "{}" },
    channel,
    key,
    surroundings,
  );

/** One small request over the way of a run; what was answered. */
async function exchange(
  request: Omit<HttpRequest, "headers">,
  channel: Channel,
  key: string | null,
  { clock = systemClock, limits = limitsOf(channel), ...rest }: Partial<Surroundings>,
): Promise<string> {
  const upstream = upstreamOf(request.url, key);
  const patience = { ...limits, firstByteMs: Math.min(limits.firstByteMs, mostPatienceMs) };
  const guard = new Guard(upstream, clock, patience, new AbortController().signal);
  try {
    const dispatcher = await (rest.dispatcher?.() ?? directDispatcher(limits.connectMs));
    const headers = {
      "content-type": "application/json",
      accept: "application/json",
      ...headersOf(channel, key, rest.secretHeaders ?? {}, rest.hop ?? null),
    };
    const wire = { upstream, signal: guard.signal, dispatcher, clock };
    return await readText(await send({ ...request, headers }, wire), longestList);
  } catch (reason) {
    const error = guard.reason() ?? llmErrorOf(reason, upstream);
    throw thrown(error, reason instanceof OwnkeyError ? Number(reason.details.status) || null : null);
  } finally {
    guard.close();
  }
}

function modelsIn(text: string): readonly Model[] | null {
  try {
    const value: unknown = JSON.parse(text);
    const list = Array.isArray(value) ? value : isFields(value) ? (value.data ?? value.models) : null;
    if (!Array.isArray(list)) return null;
    return list
      .slice(0, mostModels)
      .filter(isFields)
      .map(toModel)
      .filter(({ id }) => id !== "");
  } catch {
    return null;
  }
}

const toModel = (model: Fields): Model => ({
  id: (stringOf(model.id) || stringOf(model.name)).replace(/^models\//, ""),
  contextWindow: firstCount(model, [
    "context_length",
    "context_window",
    "max_model_len",
    "inputTokenLimit",
    "max_input_tokens",
  ]),
  maxOutputTokens: firstCount(model, ["max_completion_tokens", "outputTokenLimit", "max_tokens"]),
});

function firstCount(model: Fields, names: readonly string[]): number | null {
  for (const name of names) {
    const count = countOf(model[name]);
    if (count !== null && count > 0) return count;
  }
  return null;
}
