/** `npm run test:crash -- --kills N [--seed S] [--break commit-after-effect]`. 0: all passed, 1: one failed, 2: wrong use. */
import { parseArgs } from "node:util";
import { crash } from "./crash.ts";
import { orders } from "./mortal-store.ts";

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      kills: { type: "string", default: "40" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      break: { type: "string", default: "commit-before-effect" },
      from: { type: "string", default: "1" },
    },
  });
  const [kills = 0, seed = 0, from = 0] = [values.kills, values.seed, values.from].map(Number);
  const order = orders.find((each) => each === values.break);
  if (!order || ![kills, seed, from].every(Number.isSafeInteger)) {
    console.error("npm run test:crash -- --kills N [--seed S] [--from ROUND] [--break commit-after-effect]");
    return 2;
  }
  console.log(`seed ${seed}`);
  const { passed, failed, points } = await crash({ kills, seed, from, order, failed: console.log });
  for (const [point, count] of Object.entries(points)) console.log(`${String(count).padStart(4)} ${point}`);
  console.log(`${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
