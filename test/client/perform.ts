/** A turn in which the model makes calls and at last says what they brought: what came of it, seen from all sides. */
import assert from "node:assert/strict";
import type { Asked, Model } from "../support/upstream.ts";
import type { Agent, Card, Ended, Sent } from "./cursor.ts";
import { promptFor } from "./script.ts";

/** Absolute paths in the workspace are written `./a.txt` here, that of the workspace `./`. */
export interface Performed extends Ended {
  /** What the calls brought, as the upstream was sent it. */
  readonly results: readonly string[];
  /** Each request for an answer. */
  readonly asked: readonly Asked[];
  /** The cards that the client keeps of this turn. */
  readonly kept: readonly Card[];
}

/** `steps`: the model's answers but for the last one. */
export async function perform(agent: Agent, steps: readonly Model[], sent?: Sent): Promise<Performed> {
  const asked: Asked[] = [];
  const heard =
    (step: Model): Model =>
    (request, say) => {
      asked.push(request);
      return step(request, say);
    };
  const results = () => asked.flatMap((request) => request.results);
  const echo: Model = (_, say) => say.text(JSON.stringify(results()));
  const ended = await agent.ask(promptFor([...steps, echo].map(heard)), sent);
  assert.deepEqual([ended.status, ended.error?.message], ["finished", undefined]);
  assert.deepEqual(JSON.parse(ended.result ?? ""), results());
  const near = <T>(value: T): T =>
    JSON.parse(JSON.stringify(value).replaceAll(new RegExp(`${agent.cwd}/?`, "g"), "./")) as T;
  return { ...ended, ...near({ results: results(), tools: ended.tools, kept: await agent.kept() }), asked };
}

/** A card as the client shows it at the end. */
export const shown = (name: string, args: object, result: object) => ({
  ...{ name, status: "completed" },
  ...{ args, result },
});
export const success = (value: object) => ({ status: "success", value });
export const failure = (error: object) => ({ status: "error", error });
