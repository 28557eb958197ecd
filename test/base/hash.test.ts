import assert from "node:assert/strict";
import { test } from "node:test";
import { hmac, isSameSecret, sha256, toHex } from "../../src-main/base/hash.ts";

test("sha256 hashes its parts as if they were one text", () => {
  const abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"; // FIPS 180-4
  assert.equal(toHex(sha256("abc")), abc);
  assert.equal(toHex(sha256("a", new Uint8Array([0x62]), "c")), abc);
  assert.equal(toHex(sha256()), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
});

test("hmac is HMAC-SHA-256 over its parts", () => {
  const expected = "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"; // RFC 4231, case 2
  const key = Buffer.from("Jefe");
  assert.equal(toHex(hmac(key, "what do ya want for nothing?")), expected);
  assert.equal(toHex(hmac(key, "what do ya ", Buffer.from("want for nothing?"))), expected);
});

test("secrets are the same only when every character is", () => {
  assert.equal(isSameSecret("ok_secret", "ok_secret"), true);
  for (const other of ["ok_secre", "ok_secret ", "OK_SECRET", "", "ok_secreT"])
    assert.equal(isSameSecret("ok_secret", other), false);
});
