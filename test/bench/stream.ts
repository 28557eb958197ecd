/**
 * What an answer of 100,000 pieces costs in CPU, as a multiple of passing its bytes on untouched.
 *
 *   provider --> Ownkey (store on disk, direct endpoint) --> client       one process each; a round streams the
 *   provider --> node:http pass-through                  --> client       answer through both, in random order
 *
 * Counted is the CPU of all threads of the program in the middle while it streams; the first run of each only warms
 * it up. A ratio is formed inside a round, since a machine changes its speed from minute to minute.
 */
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";
import { createOwnkey, type Ownkey } from "../cli/ownkey.ts";
import { Check, pieces } from "./answer.ts";
import { startChild } from "./child.ts";
import { Client } from "./client.ts";
import { checkMeasurable, cpuSeconds } from "./cpu.ts";
import type { BenchOptions } from "./main.ts";

/** A program in the middle, ready to stream. */
interface Middle {
  readonly name: "ownkey" | "floor";
  readonly pid: number;
  stream(): Promise<void>;
}

/** Lets what an earlier run left behind come to an end. */
const settleMs = 100;

export async function stream({ rounds, limit }: BenchOptions): Promise<boolean> {
  checkMeasurable();
  const ownkey = createOwnkey();
  const upstream = await startChild("upstream.ts");
  const passthrough = await startChild("passthrough.ts", String(upstream.port));
  try {
    const base = `http://127.0.0.1:${upstream.port}/v1`;
    const fields = ["--format", "openai-chat", "--base-url", base, "--model", "bench", "--no-key"];
    const { id } = JSON.parse(await printed(ownkey, "channel", "add", "--name", "bench", ...fields));
    const key = (await printed(ownkey, "key", "new")).trim();
    const serving = await ownkey.serve("--port", "0");
    const client = await Client.connect(serving.direct, key, id);
    const subject: Middle = { name: "ownkey", pid: serving.pid, stream: () => client.turn() };
    const floor: Middle = { name: "floor", pid: passthrough.pid, stream: () => passOn(passthrough.port) };
    const isWithin = await compare(subject, floor, rounds, limit);
    client.close();
    await serving.stop();
    return isWithin;
  } finally {
    await Promise.all([ownkey.remove(), passthrough.stop(), upstream.stop()]);
  }
}

async function printed(ownkey: Ownkey, ...words: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await ownkey.run(...words);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function compare(subject: Middle, floor: Middle, rounds: number, limit: number): Promise<boolean> {
  await subject.stream();
  await floor.stream();
  console.log(`${pieces.toLocaleString("en")} pieces of text; CPU seconds, and the ratio in each round`);
  row("round", "first", subject.name, floor.name, "ratio");
  const ratios: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const order = Math.random() < 0.5 ? [subject, floor] : [floor, subject];
    const spent = new Map<Middle, number>();
    for (const middle of order) spent.set(middle, await measure(middle));
    const [own = Number.NaN, least = Number.NaN] = [spent.get(subject), spent.get(floor)];
    ratios.push(own / least);
    row(String(round), order[0]?.name ?? "", own.toFixed(3), least.toFixed(3), (own / least).toFixed(2));
  }
  const median = medianOf(ratios);
  row("median", "", "", "", median.toFixed(2));
  console.log(median <= limit ? `within the limit of ${limit}` : `over the limit of ${limit}`);
  return median <= limit;
}

async function measure({ pid, stream }: Middle): Promise<number> {
  await setTimeout(settleMs);
  const before = cpuSeconds(pid);
  await stream();
  await setTimeout(settleMs);
  return cpuSeconds(pid) - before;
}

/** The same answer through the pass-through, read and checked like the other. */
async function passOn(port: number): Promise<void> {
  const headers = { "content-type": "application/json" };
  const body = JSON.stringify({ model: "bench", stream: true, messages: [] });
  const url = `http://127.0.0.1:${port}/v1/chat/completions`;
  const answer = await fetch(url, { method: "POST", headers, body });
  const check = new Check();
  for (const line of (await answer.text()).split("\n\n")) {
    if (!line.startsWith("data: {")) continue;
    const { choices } = JSON.parse(line.slice(6)) as { choices: { delta: { content?: string } }[] };
    const piece = choices[0]?.delta.content;
    if (piece) check.take(piece);
  }
  check.end();
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low = Number.NaN, high = Number.NaN] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (low + high) / 2;
}

function row(...cells: readonly string[]): void {
  console.log(cells.map((cell) => cell.padStart(8)).join("  "));
}
