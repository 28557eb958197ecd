import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { canonical, isArray, isObject, type Json, maxDepth, parseJson } from "../../src-main/base/json.ts";
import { cpuMs } from "../support/cpu.ts";

const json: fc.Arbitrary<Json> = fc
  .jsonValue({ maxDepth: 5, noUnicodeString: false })
  .map((value) => JSON.parse(JSON.stringify(value)) as Json);

/** The same value with the keys of every object in another order. */
function reversed(value: Json): Json {
  if (isArray(value)) return value.map(reversed);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, member]) => [key, reversed(member)]),
  );
}

describe("canonical", () => {
  test("is one text per value, whatever the order of the keys", () => {
    fc.assert(fc.property(json, (value) => assert.equal(canonical(reversed(value)), canonical(value))));
  });

  test("is JSON of the same value", () => {
    fc.assert(fc.property(json, (value) => assert.deepEqual(JSON.parse(canonical(value)), value)));
  });

  test("sorts by code unit and leaves no white space", () => {
    assert.equal(
      canonical({ b: [1, { d: null, c: true }], a: "x", "\u{1f600}": 1, "\uffff": 2, B: 3 }),
      '{"B":3,"a":"x","b":[1,{"c":true,"d":null}],"\u{1f600}":1,"\uffff":2}',
    );
  });

  test("writes numbers and strings as JSON.stringify does, half characters escaped", () => {
    assert.equal(
      canonical([-0, 1e21, 0.1, "\ud800", "\u2028", '"\\']),
      '[0,1e+21,0.1,"\\ud800","\u2028","\\"\\\\"]',
    );
  });

  test("keeps a key named __proto__ as data", () => {
    assert.equal(canonical(JSON.parse('{"__proto__":{"a":1}}') as Json), '{"__proto__":{"a":1}}');
  });
});

describe("parseJson", () => {
  const isRefused = (text: string, pattern: RegExp) =>
    assert.throws(
      () => parseJson(text),
      (reason) => reason instanceof OwnkeyError && reason.kind === "protocol" && pattern.test(reason.message),
    );

  test("reads what JSON.parse reads", () => {
    fc.assert(
      fc.property(json, (value) => assert.deepEqual(parseJson(JSON.stringify(value, null, 1)), value)),
    );
  });

  test("says what is wrong with other text", () => {
    for (const text of ["", "{", "[1,]", "{'a':1}", "undefined", '"\n"'])
      isRefused(text, /^this is not valid JSON: /);
  });

  test(`takes ${maxDepth} levels and refuses one more`, () => {
    const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth);
    assert.doesNotThrow(() => parseJson(nested(maxDepth)));
    isRefused(nested(maxDepth + 1), /nested deeper than 64 levels/);
    isRefused('{"a":'.repeat(maxDepth + 1), /nested deeper/);
  });

  test("does not count brackets within strings, however they are escaped", () => {
    const brackets = "[{".repeat(100);
    for (const text of [`"${brackets}"`, `"\\"${brackets}"`, `"\\\\\\"${brackets}"`])
      assert.equal(parseJson(text), JSON.parse(text));
    isRefused(`["\\\\",${"[".repeat(100)}`, /nested deeper/);
  });

  test("needs linear time for 4 MiB made to be slow", () => {
    const size = 4 * 1024 * 1024;
    const inputs: Readonly<Record<string, string>> = {
      "escaped quotes without end": `"${'\\"'.repeat(size / 2)}`,
      "strings without end": '"'.repeat(size - 1),
      "backslashes without end": `"${"\\".repeat(size)}`,
      "brackets that only open": "[".repeat(size),
      "brackets that open and close": "[]".repeat(size / 2),
      "brackets that only close": "]".repeat(size),
      "a long string": `"${"a".repeat(size)}"`,
      "many short strings": `[${'"a",'.repeat(size / 4)}1]`,
    };
    const read = (text: string): void => {
      try {
        parseJson(text);
      } catch {}
    };
    for (const [name, text] of Object.entries(inputs)) {
      const ms = cpuMs(() => read(text));
      assert.ok(ms < 2_000, `${name}: ${ms} ms`);
    }
  });
});
