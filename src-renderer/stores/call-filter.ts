/**
 * The filter of the Inspector: words, and `key:value` for what a call has. Pure.
 *
 *   status:failed channel:"OpenAI work" ms>2000 refused
 *
 * All parts must hold. Words are looked for in channel, model and error; nothing is a pattern.
 */
import type { CallView } from "../../src-main/contract/calls.ts";
import { inputOf } from "./calls.ts";

export type CallFilter = (call: CallView) => boolean;

const part = /(?:(\w+)([:>]))?(?:"([^"]*)"|(\S+))/g;

export function readFilter(text: string): CallFilter {
  const tests = [...text.matchAll(part)].map(([whole, key, sign, quoted, bare]) => {
    const value = (quoted ?? bare ?? "").toLowerCase();
    return testOf(`${key ?? ""}${sign ?? ""}`, value) ?? hasWords(whole.toLowerCase());
  });
  return (call) => tests.every((test) => test(call));
}

/** null: this is no key of ours, so it is a word like any other. */
function testOf(key: string, value: string): CallFilter | null {
  const number = Number(value);
  switch (key) {
    case "":
      return hasWords(value);
    case "status:":
      return (call) => statusOf(call).some((word) => word.startsWith(value));
    case "channel:":
      return ({ channelName, channelId }) => has(channelName, value) || channelId === value;
    case "model:":
      return ({ model }) => has(model, value);
    case "conv:":
      return ({ conversationId }) => conversationId.startsWith(value);
    case "after:":
      return ({ plannedMs }) => plannedMs >= Date.parse(value.toUpperCase());
    case "before:":
      return ({ plannedMs }) => plannedMs < Date.parse(value.toUpperCase());
    case "tokens>":
      return ({ usage }) => usage !== null && inputOf(usage) + usage.output > number;
    case "ms>":
      return ({ plannedMs, endedMs }) => endedMs !== null && endedMs - plannedMs > number;
    default:
      return null;
  }
}

/** Our own words, and those that people think of. */
const statuses: Readonly<Record<CallView["status"], readonly string[]>> = {
  planned: ["planned", "running"],
  streaming: ["streaming", "running"],
  committed: ["committed", "finished", "ok"],
  failed: ["failed", "error"],
  canceled: ["canceled", "cancelled"],
};

const statusOf = ({ status, tries }: CallView): readonly string[] =>
  tries > 1 ? [...statuses[status], "retried"] : statuses[status];

const has = (text: string, words: string): boolean => text.toLowerCase().includes(words);

const hasWords =
  (words: string): CallFilter =>
  ({ channelName, model, error }) =>
    has(channelName, words) || has(model, words) || has(error ?? "", words);
