import assert from "node:assert/strict";
import { test } from "node:test";
import { createRedactor, redacted } from "../../src-main/app/redact.ts";

test("every exact occurrence of a secret is replaced, in each form in which key bytes come back", () => {
  const redactor = createRedactor(() => []);
  const bytes = Buffer.from("00112233445566778899aabbccddeeff", "hex");
  redactor.addText("path-secret-1");
  redactor.addBytes(bytes);
  const seen = [
    "path-secret-1",
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    bytes.toString("base64"),
  ];
  assert.equal(redactor.redact(seen.join(" ")), seen.map(() => redacted).join(" "));
  assert.equal(
    redactor.redact("http://h/path-secret-1/x?path-secret-1"),
    `http://h/${redacted}/x?${redacted}`,
  );
});

test("of two secrets of which one contains the other nothing is left", () => {
  const redactor = createRedactor(() => []);
  redactor.addText("12345678");
  redactor.addText("12345678-and-more");
  assert.equal(redactor.redact("12345678-and-more 12345678"), `${redacted} ${redacted}`);
});

test("what is too short to be a secret tears no text to pieces", () => {
  const redactor = createRedactor(() => []);
  redactor.addText("none");
  redactor.addText("");
  assert.equal(redactor.redact("none of this"), "none of this");
});

test("secrets whose plain value is not kept are taken out where they are found", () => {
  const redactor = createRedactor((text) => (text.includes("found-one") ? ["found-one"] : []));
  assert.equal(redactor.redact("a found-one b"), `a ${redacted} b`);
});
