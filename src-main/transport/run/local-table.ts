/** What Ownkey carries out itself, a table by the `kind` of the request: {kind: "sleep", ms: 500}. */
import { type Clock, sleep as pause } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import type { CarryOut } from "./local-steps.ts";

export const createLocal =
  (table: Readonly<Record<string, CarryOut>>): CarryOut =>
  async (request, signal) => {
    const { kind } = request;
    const carryOut = typeof kind === "string" && Object.hasOwn(table, kind) ? table[kind] : undefined;
    if (!carryOut) throw new OwnkeyError("bug", `Nothing here carries out a step of the kind ${kind}.`);
    return carryOut(request, signal);
  };

/** {kind, ms} -> {} after that time. */
export const sleep =
  (clock: Clock): CarryOut =>
  async ({ ms }, signal) => {
    await pause(clock, typeof ms === "number" ? ms : 0, signal);
    return {};
  };
