/** Files that others read: the workflow, the unit, the icons. They parse, and say what they must. */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";

const root = join(import.meta.dirname, "../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");

interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly "timeout-minutes": number;
        readonly needs?: readonly string[];
        readonly steps: readonly { readonly uses?: string; readonly run?: string }[];
      }
    >
  >;
}

test("the workflow parses, pins what it uses by commit, may only read, and drafts what was tested", () => {
  const { permissions, jobs } = parse(read(".github/workflows/build.yml")) as Workflow;
  assert.deepEqual(permissions, { contents: "read" });
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  for (const { uses } of steps) if (uses) assert.match(uses, /^[\w-]+\/[\w-]+@[0-9a-f]{40}$/);
  for (const [name, job] of Object.entries(jobs)) assert.ok(job["timeout-minutes"] > 0, name);
  assert.deepEqual([jobs.draft?.needs, jobs.pack?.needs], [["pack"], ["test", "electron", "container"]]);
  const drafting = steps.find(({ run }) => run?.includes("gh release create"));
  assert.match(drafting?.run ?? "", /--draft/);
  const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
  for (const { run = "" } of steps)
    for (const [, name = ""] of run.matchAll(/npm run ([\w:]+)/g)) assert.ok(scripts[name], name);
});

test("nothing foreign is put into a script of the workflow as text", () => {
  const { jobs } = parse(read(".github/workflows/build.yml")) as Workflow;
  for (const { run = "" } of Object.values(jobs).flatMap((job) => job.steps))
    assert.doesNotMatch(run, /\$\{\{(?!\s*matrix\.)/, run);
});

test("the systemd unit has its sections, ends politely and has no more rights than it needs", () => {
  const sections = new Map<string, Record<string, string>>();
  let keys: Record<string, string> = {};
  for (const line of read("assets/linux/ownkey.service").split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [, section] = /^\[(\w+)\]$/.exec(line) ?? [];
    if (section) {
      keys = {};
      sections.set(section, keys);
    } else {
      const [, key, value] = /^(\w+)=(.+)$/.exec(line) ?? [];
      assert.ok(key && value, line);
      keys[key] = value;
    }
  }
  assert.deepEqual([...sections.keys()], ["Unit", "Service", "Install"]);
  const service = sections.get("Service");
  assert.deepEqual(
    [service?.ExecStart, service?.UMask, service?.KillSignal, service?.NoNewPrivileges],
    ["/usr/bin/env ownkey serve", "0077", "SIGTERM", "yes"],
  );
});

test("there is an icon of every state and size, and each is as large as its name says", () => {
  const sizeOf = (file: string) => {
    const png = readFileSync(file);
    return [png.readUInt32BE(16), png.readUInt32BE(20)];
  };
  for (const state of ["working", "busy", "paused", "attention", "stopped"]) {
    const at = (name: string) => join(root, "assets/tray", name);
    assert.deepEqual(sizeOf(at(`${state}Template.png`)), [18, 18]);
    assert.deepEqual(sizeOf(at(`${state}Template@2x.png`)), [36, 36]);
    for (const ink of ["black", "white"]) {
      assert.deepEqual(sizeOf(at(`${state}-${ink}.png`)), [24, 24]);
      assert.deepEqual(sizeOf(at(`${state}-${ink}@2x.png`)), [48, 48]);
      assert.equal(readFileSync(at(`${state}-${ink}.ico`)).readUInt16LE(4), 5);
    }
  }
  const icons = globSync(join(root, "assets/icons/*.png"));
  assert.equal(icons.length, 8);
  for (const file of icons) {
    const [, width] = /(\d+)x\d+\.png$/.exec(file) ?? [];
    assert.deepEqual(sizeOf(file), [Number(width), Number(width)]);
  }
});
