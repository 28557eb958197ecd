import assert from "node:assert/strict";
import { execFile as execFileCallback } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { promisify } from "node:util";
import { openFolder } from "../../../src-main/app/folder.ts";
import { createKeptAuthority } from "../../../src-main/app/trust/kept-authority.ts";
import { type RunProgram, runProgram } from "../../../src-main/app/trust/run-program.ts";
import { type StoreOptions, storesOf } from "../../../src-main/app/trust/stores.ts";
import { createTrust } from "../../../src-main/app/trust/trust.ts";
import { systemClock } from "../../../src-main/base/clock.ts";
import type { Json } from "../../../src-main/base/json.ts";
import { createKeyFileSealer } from "../../../src-main/host/key-file-sealer.ts";
import type { Authority } from "../../../src-main/proxy/authority.ts";
import { chromiumTakes } from "../../proxy/chromium-takes.ts";
import { launchChromium, skipWithoutChromium } from "../../support/chromium.ts";

const execFile = promisify(execFileCallback);

function start(t: TestContext, options: Partial<StoreOptions>) {
  let laterMs = 0;
  const home = mkdtempSync(join(tmpdir(), "ownkey-trust-"));
  t.after(() => rmSync(home, { recursive: true }));
  const folder = openFolder(join(home, "data"));
  const sealer = createKeyFileSealer(folder);
  const clock = { ...systemClock, now: () => Date.now() + laterMs };
  const kept = createKeptAuthority(folder, sealer, clock);
  const kinds = storesOf({ platform: "linux", home, root: "/", isRoot: false, run: runProgram, ...options });
  const values = new Map<string, Json>();
  const settings = {
    get: (key: string) => values.get(key) ?? null,
    set: (key: string, value: Json) => void values.set(key, value),
  };
  const later = (ms: number) => {
    laterMs = ms;
  };
  return { home, folder, kept, settings, sealer, later, trust: createTrust(kept, kinds, settings) };
}

/** A system whose store is a list; what it was asked to run is written down. */
function fakeSystem(pemOf: () => string, reply: (args: readonly string[]) => "add" | "drop" | "list") {
  const ran: string[][] = [];
  let has = "";
  const run: RunProgram = async (file, args) => {
    ran.push([file, ...args]);
    const does = reply(args);
    if (does === "add") has = pemOf();
    if (does === "drop") has = "";
    return { code: 0, stdout: does === "list" ? has : "", stderr: "" };
  };
  return { ran, run };
}

const skip = existsSync("/usr/bin/certutil")
  ? false
  : "SKIPPED: no /usr/bin/certutil here (apt-get install libnss3-tools)";

test("NSS: trusted, found by its fingerprint, renewed, and gone from the store without a trace", {
  skip,
}, async (t) => {
  const { home, trust, folder } = start(t, {});
  assert.equal((await trust.show()).state, "none");
  const first = await trust.install(["nss"]);
  assert.equal(first.stores[0]?.trusted, true);
  assert.equal(first.stores[1]?.trusted, false);
  const listed = async () =>
    (await runProgram("/usr/bin/certutil", ["-d", `sql:${join(home, ".pki/nssdb")}`, "-L"])).stdout;
  assert.match(await listed(), /Ownkey [\da-f]{16} +C,,/);
  writeFileSync(join(folder.path, "authority.pem"), "damaged");
  assert.equal((await trust.show()).state, "broken");
  const second = await trust.install(["nss"]);
  assert.notEqual(second.sha256, first.sha256);
  assert.equal((await listed()).match(/Ownkey/g)?.length, 1, "the one before is no longer trusted");
  const gone = await trust.remove(true);
  assert.equal(gone.state, "none");
  assert.doesNotMatch(await listed(), /Ownkey/);
  assert.equal(existsSync(join(folder.secrets, "authority-key")), false);
});

/** A server with a leaf of the authority that is kept now, or `authority`'s. */
async function serveAs(t: TestContext, authority: Authority): Promise<number> {
  const { chain, key } = authority.issue("api2.cursor.sh", Date.now());
  const server = createServer({ cert: chain, key }, (_, response) => response.end("taken"));
  server.on("tlsClientError", () => {}).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const kept = (authority: Authority | null): Authority => authority ?? assert.fail("there is no authority");

test("a browser believes what was installed and, renewed twice and removed, none of it", {
  skip: skip || skipWithoutChromium,
}, async (t) => {
  const { home, trust, kept: files } = start(t, {});
  const ports: number[] = [];
  for (const renew of [false, true, true]) {
    await trust.install(["nss"], renew);
    ports.push(await serveAs(t, kept(files.current())));
  }
  const taken = async () => {
    const args = ["--host-resolver-rules=MAP * 127.0.0.1"];
    const browser = await launchChromium({ args, env: { ...process.env, HOME: home } });
    try {
      const urls = ports.map((port) => `https://api2.cursor.sh:${port}/`);
      return await chromiumTakes(await browser.newPage(), urls);
    } finally {
      await browser.close();
    }
  };
  assert.deepEqual(await taken(), [false, false, true]);
  await trust.remove(true);
  assert.deepEqual(await taken(), [false, false, false]);
});

test("the system's store: curl believes it once it is installed, and no longer once it is removed", async (t) => {
  const root = mkdtempSync(join(tmpdir(), "ownkey-root-"));
  t.after(() => rmSync(root, { recursive: true }));
  const [places, bundle] = [join(root, "usr/local/share/ca-certificates"), join(root, "etc/ssl/certs")];
  for (const folder of [places, bundle]) mkdirSync(folder, { recursive: true });
  const all = join(bundle, "ca-certificates.crt");
  const ran: string[] = [];
  // What update-ca-certificates does of all that it does, without touching this system's own.
  const run: RunProgram = async (file, args) => {
    ran.push([file, ...args].join(" "));
    const pems = readdirSync(places).map((name) => readFileSync(join(places, name), "utf8"));
    writeFileSync(all, pems.join(""));
    return { code: 0, stdout: "", stderr: "" };
  };
  const { trust, kept: files } = start(t, { root, run, isRoot: true });
  await trust.install(["system"]);
  assert.equal((await trust.install(["system"], true)).stores[1]?.trusted, true);
  const port = await serveAs(t, kept(files.current()));
  const words = ["-sS", "--noproxy", "*", "--cacert", all, "--resolve", `api2.cursor.sh:${port}:127.0.0.1`];
  const ask = () => execFile("curl", [...words, `https://api2.cursor.sh:${port}/`]);
  assert.equal((await ask()).stdout, "taken");
  assert.equal(readdirSync(places).length, 1, "the one before is gone");
  await trust.remove(true);
  await assert.rejects(ask(), ({ code }: { code: number }) => code === 60 || code === 77);
  assert.deepEqual(readdirSync(places), []);
  assert.equal(ran.at(-1), "/usr/sbin/update-ca-certificates --fresh");
});

test("what is not as it should be is not used, and not replaced unasked", async (t) => {
  const { trust, kept, folder } = start(t, {});
  await trust.install([]);
  const key = join(folder.secrets, "authority-key");
  const before = readFileSync(key);
  chmodSync(key, 0o644);
  assert.deepEqual([(await trust.show()).state, kept.current()], ["broken", null]);
  assert.match((await trust.show()).problem ?? "", /open to other users/);
  chmodSync(key, 0o600);
  assert.equal((await trust.show()).state, "ready");
  rmSync(key);
  assert.match((await trust.show()).problem ?? "", /authority-key is missing/);
  await trust.install([]);
  assert.notDeepEqual(readFileSync(key), before);
});

test("the key lies sealed, opens for its own certificate only, and not with another sealer", async (t) => {
  const { trust, kept, folder } = start(t, {});
  await trust.install([]);
  const file = join(folder.secrets, "authority-key");
  const sealed = readFileSync(file);
  assert.doesNotMatch(sealed.toString("latin1"), /PRIVATE KEY/);
  const other = start(t, {});
  await other.trust.install([]);
  writeFileSync(kept.file, readFileSync(other.kept.file));
  assert.match((await trust.show()).problem ?? "", /authority-key does not open/);
  writeFileSync(join(other.folder.secrets, "authority-key"), sealed);
  assert.deepEqual([(await other.trust.show()).state, other.kept.current()], ["broken", null]);
});

test("a key that an earlier version left in the clear is sealed; until that is proven, it stays", async (t) => {
  const { trust, kept, folder, sealer } = start(t, {});
  const { sha256 } = await trust.install([]);
  const [plain, sealed] = ["authority-key.pem", "authority-key"].map((name) =>
    join(folder.secrets, name),
  ) as [string, string];
  const key = sealer.open(readFileSync(sealed), readFileSync(kept.file, "utf8"));
  const leave = () => writeFileSync(plain, key, { mode: 0o600 });
  leave();
  rmSync(sealed);
  assert.deepEqual([(await trust.show()).state, kept.current()?.sha256], ["ready", sha256]);
  assert.deepEqual([existsSync(plain), /PRIVATE KEY/.test(readFileSync(sealed, "latin1"))], [false, false]);
  leave();
  assert.deepEqual([(await trust.show()).state, existsSync(plain)], ["ready", false], "a crash between");
  leave();
  writeFileSync(sealed, "damaged");
  assert.match((await trust.show()).problem ?? "", /does not open/);
  assert.equal(readFileSync(plain, "utf8"), key);
  rmSync(sealed);
  writeFileSync(plain, "damaged");
  assert.match((await trust.show()).problem ?? "", /damaged/);
  assert.equal(existsSync(sealed), false, "nothing is sealed that is not the certificate's");
  assert.notEqual((await trust.install([])).sha256, sha256);
  assert.equal(existsSync(plain), false, "a new one leaves none of the old");
});

test("60 days before its end, or on demand, it is renewed in every store that trusts it", async (t) => {
  const system = fakeSystem(
    () => readFileSync(started.kept.file, "utf8"),
    ([verb]) => (verb === "add-trusted-cert" ? "add" : verb === "delete-certificate" ? "drop" : "list"),
  );
  const started = start(t, { platform: "darwin", run: system.run });
  const { trust, later } = started;
  const days = 24 * 60 * 60 * 1000;
  const first = await trust.install(["macos"]);
  later(669 * days);
  assert.equal((await trust.install([])).sha256, first.sha256, "it is not due");
  later(671 * days);
  assert.equal((await trust.show()).isDue, true);
  const second = await trust.install([]);
  assert.notEqual(second.sha256, first.sha256);
  assert.deepEqual([second.isDue, second.stores[0]?.trusted], [false, true]);
  const third = await trust.install([], true);
  assert.deepEqual([third.sha256 === second.sha256, third.stores[0]?.trusted], [false, true]);
  later(2000 * days);
  assert.match((await trust.show()).problem ?? "", /it ended on/);
  assert.equal(started.kept.current(), null, "it signs no more");
  await trust.remove(true);
  assert.deepEqual(started.settings.get("trusted"), []);
  assert.ok(!system.ran.at(-1)?.includes("add-trusted-cert"));
});

test("the whole system's store takes root: the steps are told, and nothing is written", async (t) => {
  const ran: unknown[] = [];
  const run: RunProgram = async (...words) => {
    ran.push(words);
    return { code: 0, stdout: "", stderr: "" };
  };
  const { trust } = start(t, { run, root: mkdtempSync(join(tmpdir(), "ownkey-root-")) });
  await assert.rejects(
    trust.install(["system"]),
    /sudo \/usr\/bin\/install -m 644 [\s\S]*update-ca-certificates/,
  );
  assert.deepEqual(ran, []);
});

test("macOS: into the login keychain and out of it by fingerprint (played, not tried on a Mac)", async (t) => {
  const system = fakeSystem(
    () => readFileSync(started.kept.file, "utf8"),
    ([verb]) => (verb === "add-trusted-cert" ? "add" : verb === "delete-certificate" ? "drop" : "list"),
  );
  const started = start(t, { platform: "darwin", run: system.run });
  const { stores } = await started.trust.install(["macos"]);
  assert.equal(stores[0]?.trusted, true);
  await started.trust.remove(true);
  const verbs = system.ran.filter(([, verb]) => verb !== "find-certificate");
  const keychain = join(started.home, "Library/Keychains/login.keychain-db");
  assert.deepEqual(verbs[0], [
    ...["/usr/bin/security", "add-trusted-cert", "-r", "trustRoot", "-p", "ssl", "-k", keychain],
    started.kept.file,
  ]);
  assert.match(verbs[1]?.join(" ") ?? "", /^\/usr\/bin\/security delete-certificate -Z [\dA-F]{40} -t \S+$/);
});

test("Windows: into the user's certificates and out of them (played, not tried on Windows)", async (t) => {
  const system = fakeSystem(
    () => readFileSync(started.kept.file, "utf8"),
    (args) => (args.includes("-addstore") ? "add" : args.includes("-delstore") ? "drop" : "list"),
  );
  const started = start(t, { platform: "win32", run: system.run });
  assert.equal((await started.trust.install(["windows"])).stores[0]?.trusted, true);
  await started.trust.remove(true);
  assert.ok(system.ran.every(([file]) => file?.startsWith("C:\\Windows\\System32\\")));
});

test("a store that says yes but takes nothing is found out, and one that keeps it, too", async (t) => {
  const refuses = fakeSystem(
    () => "",
    () => "list",
  );
  await assert.rejects(
    start(t, { platform: "darwin", run: refuses.run }).trust.install(["macos"]),
    /did not arrive/,
  );
  const keeps = fakeSystem(
    () => readFileSync(started.kept.file, "utf8"),
    ([verb]) => (verb === "add-trusted-cert" ? "add" : "list"),
  );
  const started = start(t, { platform: "darwin", run: keeps.run });
  await started.trust.install(["macos"]);
  await assert.rejects(started.trust.remove(true), /still in the login keychain/);
  assert.equal((await started.trust.show()).state, "ready", "kept until nobody trusts it");
});
