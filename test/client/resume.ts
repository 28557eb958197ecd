/** A second process of the same user: takes up an agent, asks one thing, and tells how that ended. */
import { once } from "node:events";
import { Cursor, type Login } from "./cursor.ts";

interface Errand extends Login {
  readonly id: string;
  readonly cwd: string;
  readonly prompt: string;
}

const [errand] = (await once(process, "message")) as [Errand];
const cursor = await Cursor.start(errand);
const agent = await cursor.resume(errand.id, errand.cwd);
const { status, result } = await agent.ask(errand.prompt);
await cursor.close();
process.send?.({ status, result });
process.disconnect();
