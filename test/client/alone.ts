/** Cursor's client in a process of its own: asks each model one thing, and tells how that ended. */
import { once } from "node:events";
import { Cursor, type Login } from "./cursor.ts";

export interface Errand extends Login {
  readonly models: readonly string[];
  readonly prompt: string;
}

const [errand] = (await once(process, "message")) as [Errand];
const cursor = await Cursor.start(errand);
const outcomes: unknown[] = [];
for (const model of errand.models) {
  try {
    const agent = await cursor.agent({ model });
    const { status, result, error } = await agent.ask(errand.prompt);
    outcomes.push({ status, result, error: error?.message });
  } catch (reason) {
    outcomes.push({ status: "refused", error: String(reason) });
  }
}
await cursor.close();
process.send?.(outcomes);
process.disconnect();
