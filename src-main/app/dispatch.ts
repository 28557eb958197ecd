/** Answers one call of the contract, whichever wire it came by. */
import type { z } from "zod";
import { OwnkeyError } from "../base/errors.ts";
import type { Log } from "../base/log.ts";
import type { CallName, Reply } from "../contract/contract.ts";
import type { Handler, Handlers } from "./handlers.ts";

export async function dispatch(
  handlers: Handlers,
  log: Log,
  name: string,
  params: unknown,
): Promise<Reply<unknown>> {
  try {
    if (!isCall(handlers, name)) throw new OwnkeyError("protocol", "There is no such call.");
    const { params: parser, answer } = handlers[name] as Handler<unknown, unknown>;
    return { ok: true, value: await answer(parse(parser, params)) };
  } catch (reason) {
    const { kind, message } = OwnkeyError.from(reason);
    if (kind === "bug") log.error("a call of the contract failed", { call: name, reason: message });
    return { ok: false, kind, message };
  }
}

const isCall = (handlers: Handlers, name: string): name is CallName => Object.hasOwn(handlers, name);

/** Throws `protocol`, naming the first thing that does not fit; never the value itself, which may be a secret. */
function parse(parser: z.ZodType<unknown>, params: unknown): unknown {
  const parsed = parser.safeParse(params);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = issue?.path.join(".") || "parameters";
  throw new OwnkeyError("protocol", `${place}: ${issue?.message ?? "not valid"}`);
}
