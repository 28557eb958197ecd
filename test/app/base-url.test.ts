import assert from "node:assert/strict";
import { test } from "node:test";
import { parseBaseUrl } from "../../src-main/app/base-url.ts";
import { OwnkeyError } from "../../src-main/base/errors.ts";

const accepted: readonly (readonly [text: string, kept: string])[] = [
  ["https://api.example.com/v1", "https://api.example.com/v1"],
  ["  https://API.example.com/v1/  ", "https://api.example.com/v1"],
  ["https://api.example.com:443/", "https://api.example.com"],
  ["https://10.0.0.7:8443/v1", "https://10.0.0.7:8443/v1"],
  ["http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"],
  ["http://[::1]:1234", "http://[::1]:1234"],
  ["http://localhost:8000", "http://localhost:8000"],
  ["https://evilcursor.sh", "https://evilcursor.sh"],
  ["https://api.example.com/@scope/v1", "https://api.example.com/@scope/v1"],
];

const refused: readonly (readonly [text: string, why: RegExp])[] = [
  ["http://127.0.0.1:7788", /Ownkey's own/],
  ["http://127.1:7788", /Ownkey's own/],
  ["http://2130706433:7788", /Ownkey's own/],
  ["http://0x7f.0.0.1:7788", /Ownkey's own/],
  ["http://0177.0.0.1:7788/v1", /Ownkey's own/],
  ["http://127.200.3.4:7788", /Ownkey's own/],
  ["http://[::1]:7788", /Ownkey's own/],
  ["http://[::ffff:127.0.0.1]:7788", /Ownkey's own/],
  ["http://[64:ff9b::127.0.0.1]:7788", /Ownkey's own/],
  ["http://localhost:7788", /Ownkey's own/],
  ["https://a.localhost:7788", /Ownkey's own/],
  ["http://localhost.:7788", /dot at the end/],
  ["http://0.0.0.0:7788", /0\.0\.0\.0/],
  ["http://[::]:7788", /no server of yours/],
  ["https://169.254.169.254/latest", /no server of yours/],
  ["https://[::ffff:169.254.169.254]", /no server of yours/],
  ["https://[fe80::1]", /no server of yours/],
  ["https://[fd00:ec2::254]", /no server of yours/],
  ["https://100.100.100.200", /no server of yours/],
  ["https://224.0.0.1", /no server of yours/],
  ["https://metadata.google.internal", /no server of yours/],
  ["https://api2.cursor.sh", /Cursor's/],
  ["https://CURSOR.com/v1", /Cursor's/],
  ["http://192.168.1.5:8000", /another machine/],
  ["http://[fd12::5]:8000", /another machine/],
  ["http://api.example.com", /must use https/],
  ["http://127.0.0.1:7788\\@evil.test", /backslash/],
  ["https://api.example.com@evil.test", /user name/],
  ["https://@evil.test", /user name/],
  ["https://a:b@evil.test", /user name/],
  ["https://api.example.com/v1?key=1", /before any \?/],
  ["https://api.example.com/v1?", /before any \?/],
  ["https://api.example.com/#x", /before any \?/],
  ["https:///evil.test", /begin with https/],
  ["https:evil.test", /begin with https/],
  ["ftp://api.example.com", /begin with https/],
  ["api.example.com", /begin with https/],
  ["https://exämple.com", /plain ASCII/],
  ["http://１２７.0.0.1:7788", /plain ASCII/],
  ["https://api.example.com/\nv1", /plain ASCII/],
  ["https://api.example.com/a b", /plain ASCII/],
  ["https://127.0.0.1:99999", /not a valid/],
  ["", /plain ASCII/],
];

for (const [text, kept] of accepted)
  test(`an address may be ${JSON.stringify(text)}`, () => {
    assert.equal(parseBaseUrl(text, [7788]), kept);
    assert.equal(parseBaseUrl(kept, [7788]), kept);
  });

for (const [text, why] of refused)
  test(`an address may not be ${JSON.stringify(text)}`, () => {
    assert.throws(
      () => parseBaseUrl(text, [7788]),
      (reason: unknown) => {
        assert.ok(reason instanceof OwnkeyError);
        assert.equal(reason.kind, "config");
        assert.match(reason.message, why);
        return true;
      },
    );
  });
