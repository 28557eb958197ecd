/** What an API family has to bring along; create.ts has a row for each and does the rest. */
import type { JsonObject } from "../base/json.ts";
import type { AnswerReader } from "./exchange/answer.ts";
import type { Fields } from "./fields.ts";
import type { Reading } from "./stream-reader.ts";
import type { AuthScheme, Channel, LlmRequest } from "./types.ts";

export interface Format {
  /** How a key travels where the channel says nothing else. */
  readonly auth: AuthScheme;
  /** Beside the key and the content type. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address that the channel's requests go to. Throws nothing for an address that `createLlm` took. */
  requestUrl(channel: Channel): string;
  /** Where the server lists its models. */
  modelsUrl(channel: Channel): string;
  /** The body of a request. Pure; equal beginnings of histories give equal beginnings of bodies. */
  toBody(request: LlmRequest, channel: Channel): JsonObject;
  /** What a tool is called on this wire: no two tools alike. */
  toolName(name: string): string;
  createReader(reading: Reading): AnswerReader;
  /** One JSON document where a stream was asked for, as the events it would be; null: it is no answer. */
  eventsOf(document: Fields): readonly Fields[] | null;
}
