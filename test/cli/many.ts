/** Runs one command line after another in this process, since starting one costs more than most commands do. */
import type { Ended, Given } from "./ownkey.ts";

process.umask(0o077);
const { main } = await import("../../src-main/host/cli/main.ts");

process.on("message", async ({ words, env }: Given) => {
  const texts = { stdout: "", stderr: "" };
  const kept = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = (text: string | Uint8Array) => {
      texts[name] += String(text);
      return true;
    };
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const code = await main(words);
  process.stdout.write = kept.stdout;
  process.stderr.write = kept.stderr;
  process.send?.({ code, ...texts } satisfies Ended);
});
