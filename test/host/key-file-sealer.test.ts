import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import fc from "fast-check";
import { type Folder, openFolder } from "../../src-main/app/folder.ts";
import { createKeyFileSealer } from "../../src-main/host/key-file-sealer.ts";

describe("the key-file sealer", () => {
  let scratch: string;
  let folder: Folder;
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "ownkey-sealer-"));
    folder = openFolder(join(scratch, "data"));
  });
  after(() => rmSync(scratch, { recursive: true, force: true }));

  test("opens what it sealed, in a later process too, for the same words only", () => {
    const sealer = createKeyFileSealer(folder);
    const later = createKeyFileSealer(folder);
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (plain, about, other) => {
        const sealed = sealer.seal(plain, about);
        assert.equal(later.open(sealed, about), plain.toWellFormed());
        if (other !== about) assert.throws(() => later.open(sealed, other));
      }),
      { numRuns: 50 },
    );
  });

  test("every byte of a sealed text counts, and a cut one does not open", () => {
    const sealer = createKeyFileSealer(folder);
    const sealed = sealer.seal("sk-sentinel", "about");
    for (let at = 0; at < sealed.length; at++) {
      const altered = sealed.map((byte, index) => (index === at ? byte ^ 1 : byte));
      assert.throws(() => sealer.open(altered, "about"), `byte ${at}`);
      assert.throws(() => sealer.open(sealed.subarray(0, at), "about"), `length ${at}`);
    }
  });

  test("the same text never seals to the same bytes, and another key does not open it", () => {
    const sealer = createKeyFileSealer(folder);
    const sealed = sealer.seal("x", "about");
    assert.notDeepEqual(sealer.seal("x", "about"), sealed);
    const other = createKeyFileSealer(openFolder(join(scratch, "other")));
    assert.throws(() => other.open(sealed, "about"));
  });

  test("a damaged key file is named with the remedy", () => {
    const damaged = openFolder(join(scratch, "damaged"));
    const file = join(damaged.secrets, "sealing-key");
    writeFileSync(file, "short", { mode: 0o600 });
    assert.throws(() => createKeyFileSealer(damaged), /sealing-key is damaged\. Remove it/);
  });
});
