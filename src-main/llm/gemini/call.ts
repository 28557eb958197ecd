/** The Gemini API: where its requests go. What is sent is request.ts's, what comes back stream.ts's. */
import { addressOf } from "../address.ts";
import type { Format } from "../format.ts";
import { toBody, toolName } from "./request.ts";
import { eventsOf, GeminiReader } from "./stream.ts";

export const gemini: Format = {
  auth: "x-goog-api-key",
  headers: {},
  requestUrl({ baseUrl, model }) {
    const name = encodeURIComponent(model.replace(/^models\//, ""));
    const url = addressOf(baseUrl, "/v1beta", true, `/models/${name}:streamGenerateContent`);
    url.searchParams.set("alt", "sse");
    return url.href;
  },
  modelsUrl: ({ baseUrl }) => `${addressOf(baseUrl, "/v1beta", true, "/models").href}?pageSize=1000`,
  toBody,
  toolName,
  createReader: (reading) => new GeminiReader(reading),
  eventsOf,
};
