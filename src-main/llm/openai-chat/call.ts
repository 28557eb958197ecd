/** The chat-completions API: where its requests go. What is sent is request.ts's, what comes back stream.ts's. */
import { addressOf } from "../address.ts";
import type { Format } from "../format.ts";
import { toBody, toolName } from "./request.ts";
import { ChatReader, eventsOf } from "./stream.ts";

export const openAiChat: Format = {
  auth: "bearer",
  headers: {},
  requestUrl: ({ baseUrl }) => addressOf(baseUrl, "/v1", false, "/chat/completions").href,
  modelsUrl: ({ baseUrl }) => addressOf(baseUrl, "/v1", false, "/models").href,
  toBody,
  toolName,
  createReader: (reading) => new ChatReader(reading),
  eventsOf,
};
