/**
 * The architecture, as a table. A row says what a folder may import; anything else fails here.
 *
 * Beside it the rules of the sources that no other tool checks: the size of a file, and words that must not occur.
 */
import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path/posix";
import { test } from "node:test";

/**
 * A path ending in .ts means that file alone; `type ` before it, its types only; a bare name, an npm package;
 * `node:` any built-in, `node:path` that one. A folder may always import from itself, and a folder inside a folder
 * has its own row.
 */
const allowed: Readonly<Record<string, readonly string[]>> = {
  "src-main/headless.ts": ["src-main/host", "src-main/app", "src-main/base"],
  "src-main/contract": [],
  "src-main/base": ["node:"],
  "src-main/base/log.ts": ["src-main/base", "pino"],
  "src-main/loop": [
    "src-main/llm/types.ts",
    "src-main/base/json.ts",
    "src-main/base/hash.ts",
    "type src-main/base/errors.ts",
  ],
  "src-main/llm": ["src-main/base", "undici", "eventsource-parser"],
  "src-main/store": [
    "src-main/base",
    "src-main/loop/types.ts",
    "src-main/loop/history.ts",
    "src-main/llm/types.ts",
    "src-main/llm/channel.ts",
    "better-sqlite3",
    "zod",
    "node:",
  ],
  "src-main/transport": [
    "src-main/base",
    "src-main/gen",
    "src-main/loop",
    "src-main/llm",
    "src-main/store",
    "@bufbuild/protobuf",
    "@connectrpc/connect",
    "@connectrpc/connect-node",
    "node:",
  ],
  "src-main/transport/dialect": [
    "src-main/gen",
    "src-main/base",
    "src-main/loop/types.ts",
    "src-main/loop/size.ts",
    "src-main/llm/types.ts",
    "@bufbuild/protobuf",
    "diff",
    "zod",
    "node:path",
  ],
  "src-main/web": ["src-main/base", "undici", "node:"],
  "src-main/proxy": [
    "src-main/base",
    "src-main/gen",
    "src-main/transport/wire",
    "@bufbuild/protobuf",
    "node-forge",
    "zod",
    "node:",
  ],
  "src-main/app": [
    "src-main/base",
    "src-main/contract",
    "src-main/llm",
    "src-main/proxy",
    "src-main/store",
    "src-main/transport",
    "src-main/web",
    "type src-main/loop",
    "src-main/loop/replay",
    "jsonc-parser",
    "socks",
    "undici",
    "zod",
    "node:",
  ],
  "src-main/host": ["src-main/app", "src-main/base", "src-main/contract", "node:"],
  // The one that imports it at run time; the shell is handed its pieces.
  "src-main/main.ts": [
    "src-main/shell",
    "src-main/app/folder.ts",
    "src-main/app/setup/login-entry.ts",
    "src-main/base/clock.ts",
    "src-main/host/restore.ts",
    "electron",
    "node:",
  ],
  "src-main/shell": [
    "src-main/app",
    "src-main/base",
    "src-main/contract",
    "src-main/host",
    "type electron",
    "node:",
  ],
  "src-main/shell/preload.ts": ["type src-main/contract", "electron"],
  "src-renderer": [
    "src-main/contract",
    "assets",
    "react",
    "react-dom",
    "zustand",
    "lucide-react",
    "@tanstack/react-virtual",
  ],
  // Texts of others and what draws them: the only place that knows markup.
  "src-renderer/parts/text": [
    "src-renderer/parts",
    "src-renderer/i18n",
    "src-renderer/styles",
    "react",
    "marked",
    "dompurify",
    "highlight.js",
    "diff",
  ],
};

/** What must not occur in code; comments may speak of it. */
const forbidden: Readonly<Record<string, RegExp>> = {
  "TLS without checks": /rejectUnauthorized\s*:\s*false|checkServerIdentity/,
  "a shell between us and a program": /\bshell\s*:\s*true/,
  "markup from strings": /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML/i,
  "code from strings": /\beval\(|\bnew Function\(/,
  "Object.assign, which lets foreign data reach the prototype": /\bObject\.assign\(/,
  "an approval given in the user's place": /\b(skipApproval|classifierResult|smartModeApproval\w*)\s*:/,
  "an import that this test cannot read": /\brequire\(|\bcreateRequire\b|\bimport\((?!")/,
};

const maxLines = 300;

// Longest first, so that the innermost row is found.
const rows = Object.keys(allowed).sort((a, b) => b.length - a.length);
const files = globSync("{src-main,src-renderer}/**/*.{ts,tsx,mts,cts,js,mjs,cjs,css}")
  .map((file) => file.replaceAll("\\", "/"))
  .filter((file) => !file.startsWith("src-main/gen/"));

for (const file of files) {
  const source = readFileSync(file, "utf8");
  const code = withoutComments(source);

  test(`${file} imports only what its layer may`, () => {
    const home = rows.find((row) => isWithin(file, row));
    assert.ok(home, "no row in the table for this file");
    const strangers = importsOf(file, code).filter((used) => !isAllowed(used, home));
    assert.deepEqual(strangers, []);
  });

  test(`${file} has at most ${maxLines} lines, or says why not`, () => {
    const lines = source.trimEnd().split("\n").length;
    const header = /^\s*\/\*[\s\S]*?\*\//.exec(source)?.[0] ?? "";
    assert.ok(
      lines <= maxLines || /Longer than 300 lines because/.test(header),
      `${lines} lines: split it, or begin a sentence of its header with "Longer than 300 lines because"`,
    );
  });

  test(`${file} holds nothing forbidden`, () => {
    const found = Object.entries(forbidden).filter(([, pattern]) => pattern.test(code));
    assert.deepEqual(
      found.map(([name]) => name),
      [],
    );
  });
}

test("every row of the table has a file that it speaks of", () => {
  const idle = rows.filter((row) => !files.some((file) => isWithin(file, row)));
  assert.deepEqual(idle, []);
});

interface Import {
  /** A path from the root of the repository, or a package. */
  readonly target: string;
  readonly typeOnly: boolean;
}

function importsOf(file: string, code: string): Import[] {
  const statement = /^(?:import|export)\s+(type\s)?(?:[^;"'`]*?\sfrom\s+)?"([^"]+)"|\bimport\("([^"]+)"\)/gm;
  return [...code.matchAll(statement)].map((match) => {
    const target = match[2] ?? match[3] ?? "";
    return {
      target: target.startsWith(".") ? join(file, "..", target) : target,
      typeOnly: match[1] !== undefined,
    };
  });
}

function isAllowed({ target, typeOnly }: Import, home: string): boolean {
  return [home, ...(allowed[home] ?? [])].some((place) => {
    if (place === "node:") return target.startsWith("node:");
    return place.startsWith("type ") ? typeOnly && isWithin(target, place.slice(5)) : isWithin(target, place);
  });
}

function isWithin(path: string, place: string): boolean {
  return path === place || path.startsWith(`${place}/`);
}

function withoutComments(source: string): string {
  return source.replaceAll(/\/\*[\s\S]*?\*\/|(?<=^|\s)\/\/.*$/gm, "");
}
