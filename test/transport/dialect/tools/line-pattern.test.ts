import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { matcherOf } from "../../../../src-main/transport/dialect/tools/line-pattern.ts";
import { cpuFromHere, cpuMs } from "../../../support/cpu.ts";

const matches = (pattern: string, line: string) => {
  const matcher = matcherOf(pattern);
  assert.ok(typeof matcher === "function", String(matcher));
  return matcher(line);
};

test("plain text is found anywhere in a line, as it stands", () => {
  assert.equal(matches("ready (in", "Server ready (in 5 ms)"), true);
  assert.equal(matches("a.b", "axb"), false);
  assert.equal(matches("$ ", "user@host:~$ "), true);
  assert.equal(matches("[info]", "[info] up"), true);
});

test("a star stands for anything between, in order; .* is taken for one too", () => {
  assert.equal(matches("Listening*http://*:3000", "Listening on http://localhost:3000/"), true);
  assert.equal(matches("a*b", "b a"), false);
  assert.equal(matches("aba*aba", "ababa"), false); // the pieces may not overlap
  assert.equal(matches("Local: .*3000", "Local:   http://x:3000"), true);
});

test("a bar separates alternatives", () => {
  for (const line of ["it is ready", "an ERROR"]) assert.equal(matches("ready|ERROR", line), true);
  assert.equal(matches("ready|ERROR", "error"), false);
});

test("a pattern without any text is refused: it would match every line", () => {
  for (const pattern of ["*", "|", "**|.*", ".*"]) assert.equal(typeof matcherOf(pattern), "string");
});

test("every literal is found in every line that has it", () => {
  const literal = fc
    .string({ minLength: 1 })
    .filter((text) => !/[*|]/.test(text) && typeof matcherOf(text) === "function");
  fc.assert(
    fc.property(literal, fc.string(), fc.string(), (text, before, after) =>
      matches(text, before + text + after),
    ),
  );
});

/** Known to stop a backtracking engine, one way or another. */
const bad = [
  "(a+)+$",
  "^(a+)+$",
  "(a*)*b",
  "(a|aa)+$",
  "(a|a?)+$",
  "([a-zA-Z]+)*$",
  "(.*)*x",
  "(x+x+)+y",
  "^(([a-z])+.)+[A-Z]([a-z])+$",
  "(\\d+)+!",
  "(\\w*)*$",
  "a{1,99999}b",
  "(?:a+){10}c",
  "(.+)+=",
  "([^x]*)*y",
  "\\s*(\\s+)*$",
  "(ab*)+c",
  "(?=a+)a*b",
  "^.*a.+b.+c$",
  "(a+){2,}b",
];

test("patterns that stop a regular expression engine are refused, and in no time", () => {
  const cost = cpuFromHere();
  for (const pattern of bad) assert.match(String(matcherOf(pattern)), /looks like a regular expression/);
  assert.ok(cost() < 1_000);
});

test("the worst a pattern can do to a megabyte of output is done before anyone notices", () => {
  const hard = [
    "a*".repeat(99),
    `${"a".repeat(60)}b`,
    `${"a".repeat(199)}b`,
    "*b*".repeat(60),
    "a|".repeat(99),
  ];
  const line = "a".repeat(1_000_000);
  for (const pattern of hard) {
    const matcher = matcherOf(pattern.slice(0, 200));
    const ms = cpuMs(() => typeof matcher === "function" && matcher(line));
    assert.ok(ms < 1_000, `${pattern.slice(0, 20)}: ${ms} ms`);
  }
});
