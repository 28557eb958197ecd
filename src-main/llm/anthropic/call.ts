/** The Messages API: where its requests go. What is sent is request.ts's, what comes back stream.ts's. */
import { addressOf } from "../address.ts";
import type { Format } from "../format.ts";
import { toBody, toolName } from "./request.ts";
import { eventsOf, MessagesReader } from "./stream.ts";

export const anthropic: Format = {
  auth: "x-api-key",
  headers: { "anthropic-version": "2023-06-01" },
  requestUrl: ({ baseUrl }) => addressOf(baseUrl, "/v1", true, "/messages").href,
  modelsUrl: ({ baseUrl }) => addressOf(baseUrl, "/v1", true, "/models").href,
  toBody,
  toolName,
  createReader: (reading) => new MessagesReader(reading),
  eventsOf,
};
