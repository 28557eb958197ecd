/** The Responses API: where its requests go. What is sent is request.ts's, what comes back stream.ts's. */
import { addressOf } from "../address.ts";
import type { Format } from "../format.ts";
import { toBody, toolName } from "./request.ts";
import { eventsOf, ResponsesReader } from "./stream.ts";

export const openAiResponses: Format = {
  auth: "bearer",
  headers: {},
  requestUrl: ({ baseUrl }) => addressOf(baseUrl, "/v1", false, "/responses").href,
  modelsUrl: ({ baseUrl }) => addressOf(baseUrl, "/v1", false, "/models").href,
  toBody,
  toolName,
  createReader: (reading) => new ResponsesReader(reading),
  eventsOf,
};
