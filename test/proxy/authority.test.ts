import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { generateKeyPairSync, X509Certificate } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createWebServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { connect, createSecureContext } from "node:tls";
import { promisify } from "node:util";
import { makeAuthority, readAuthority } from "../../src-main/proxy/authority.ts";
import { toCertificate } from "../../src-main/proxy/certificate.ts";
import { launchChromium, skipWithoutChromium } from "../support/chromium.ts";
import { chromiumTakes } from "./chromium-takes.ts";
import { forgeLeaf, type Wish } from "./forge-leaf.ts";

const run = promisify(execFile);
const certutil = "/usr/bin/certutil";
const files = await makeAuthority("test", Date.now());
const authority = readAuthority(files, Date.now());

const api2 = "api2.cursor.sh";
const hosts = ["github.com", "evilcursor.sh", "example.org", "localhost", "cursor.sh.evil.test"];
const logins = ["authentication.cursor.sh", "prod.authentication.cursor.sh", "x.authentication.cursor.sh"];

/** What a thief makes; which host it is shown for; who takes it. */
const matrix: readonly (readonly [host: string, wish: Wish, taken: boolean])[] = [
  [api2, { dns: [api2] }, true],
  ["www.cursor.com", { dns: ["www.cursor.com"] }, true],
  ["api4.cursor.sh", { dns: ["api4.cursor.sh"] }, true],
  ...[...hosts, ...logins].map((host) => [host, { cn: host, dns: [host] }, false] as const),
  ["github.com", { dns: ["GITHUB.COM"] }, false],
  ["github.com", { dns: ["*"] }, false],
  ["github.com", { cn: "github.com" }, false],
  ["github.com", { cn: "github.com", email: "none@invalid.invalid" }, false],
  ["github.com", { dns: [api2, "github.com"] }, false],
  [api2, { dns: [api2, "github.com"] }, false],
  ["evilcursor.sh", { dns: ["*cursor.sh"] }, false],
  [api2, { dns: [api2], ip: ["127.0.0.1"] }, false],
  [api2, { dns: [api2], usage: "clientAuth" }, false],
  [api2, { dns: [api2], days: -1 }, false],
];

/** A server that shows the wish whose number the port stands for. */
async function show(t: TestContext, wish: Wish): Promise<number> {
  const { leaf, key } = forgeLeaf(files, authority.name, wish);
  const context = createSecureContext({ cert: leaf + files.certificate, key });
  const server = createWebServer({ SNICallback: (_, done) => done(null, context) }, (_, response) =>
    response.end("taken"),
  );
  server.on("tlsClientError", () => {});
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

const titleOf = (host: string, wish: Wish): string => `${JSON.stringify(wish)} for ${host}`;

async function nodeTakes(port: number, host: string): Promise<boolean> {
  const socket = connect({ host: "127.0.0.1", port, servername: host, ca: files.certificate });
  try {
    await once(socket, "secureConnect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

test("the authority is good for Cursor's servers and for nothing else: node and curl", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-authority-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const ca = join(folder, "ca.pem");
  writeFileSync(ca, files.certificate);
  const curlTakes = async (port: number, host: string): Promise<boolean> => {
    const words = ["-sS", "--noproxy", "*", "--cacert", ca, "--resolve", `${host}:${port}:127.0.0.1`];
    try {
      return (await run("curl", [...words, `https://${host}:${port}/`])).stdout === "taken";
    } catch (reason) {
      assert.equal((reason as { code: number }).code, 60, "refused for the certificate");
      return false;
    }
  };
  for (const [host, wish, taken] of matrix) {
    const port = await show(t, wish);
    assert.equal(await nodeTakes(port, host), taken, `node: ${titleOf(host, wish)}`);
    assert.equal(await curlTakes(port, host), taken, `curl: ${titleOf(host, wish)}`);
  }
});

test("the authority is good for Cursor's servers and for nothing else: OpenSSL's own check", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-authority-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [ca, shown] = [join(folder, "ca.pem"), join(folder, "leaf.pem")];
  writeFileSync(ca, files.certificate);
  const takes = (host: string, wish: Wish) => {
    writeFileSync(shown, forgeLeaf(files, authority.name, wish).leaf);
    const words = ["verify", "-CAfile", ca, "-no-CApath", "-purpose", "sslserver", "-verify_hostname", host];
    return run("openssl", [...words, shown]).then(
      () => true,
      () => false,
    );
  };
  for (const [host, wish, taken] of matrix) assert.equal(await takes(host, wish), taken, titleOf(host, wish));
});

test("the certificate says of itself what it is good for, as OpenSSL reads it", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-authority-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const textOf = async (pem: string) => {
    writeFileSync(join(folder, "shown.pem"), pem);
    const { stdout } = await run("openssl", ["x509", "-in", join(folder, "shown.pem"), "-noout", "-text"]);
    return stdout.replaceAll(/ *\n +/g, "\n");
  };
  const text = await textOf(files.certificate);
  for (const said of [
    /Public-Key: \(3072 bit\)/,
    /Basic Constraints: critical\nCA:TRUE, pathlen:0\n/,
    /X509v3 Key Usage: critical\nCertificate Sign, CRL Sign\n/,
    /Extended Key Usage:\s*\nTLS Web Server Authentication\n/,
    /Signature Algorithm: sha256WithRSAEncryption/,
  ])
    assert.match(text, said);
  const [, constraints = ""] = /Name Constraints: critical\n([\s\S]*?)\nX509v3/.exec(text) ?? [];
  assert.deepEqual(constraints.split("\n"), [
    "Permitted:",
    ...["cursor.sh", ".cursor.sh", "cursor.com", ".cursor.com"].map((name) => `DNS:${name}`),
    ...["email:none@invalid.invalid", "URI:invalid.invalid", "Excluded:"],
    ...logins.slice(0, 2).flatMap((name) => [`DNS:${name}`, `DNS:.${name}`]),
    "IP:0.0.0.0/0.0.0.0",
    "IP:0:0:0:0:0:0:0:0/0:0:0:0:0:0:0:0",
  ]);
  const leaf = await textOf(authority.issue(api2, Date.now()).chain);
  assert.match(leaf, /Basic Constraints: critical\nCA:FALSE\n/);
  assert.match(leaf, /X509v3 Key Usage: critical\nDigital Signature\n/);
  assert.match(leaf, /Alternative Name:\s*\nDNS:api2\.cursor\.sh\n/);
  assert.match(leaf, /Public-Key: \(256 bit\)/);
});

const skip = existsSync(certutil)
  ? skipWithoutChromium
  : `SKIPPED: no ${certutil} here (apt-get install libnss3-tools)`;

test("the authority is good for Cursor's servers and for nothing else: Chromium", { skip }, async (t) => {
  const home = mkdtempSync(join(tmpdir(), "ownkey-authority-"));
  const nss = join(home, ".pki/nssdb");
  const ca = join(home, "ca.pem");
  mkdirSync(nss, { recursive: true });
  writeFileSync(ca, files.certificate);
  await run(certutil, ["-d", `sql:${nss}`, "-N", "--empty-password"]);
  await run(certutil, ["-d", `sql:${nss}`, "-A", "-t", "C,,", "-n", "Ownkey", "-i", ca]);
  const ports = await Promise.all(matrix.map(([, wish]) => show(t, wish)));
  const browser = await launchChromium({
    args: [`--host-resolver-rules=MAP * 127.0.0.1`],
    env: { ...process.env, HOME: home },
  });
  t.after(async () => {
    await browser.close();
    rmSync(home, { recursive: true, force: true });
  });
  const page = await browser.newPage();
  const urls = matrix.map(([host], at) => `https://${host}:${ports[at]}/`);
  await page.goto(urls[0] ?? "");
  const taken = await chromiumTakes(page, urls);
  for (const [at, [host, wish, expected]] of matrix.entries())
    assert.equal(taken[at], expected, titleOf(host, wish));
});

test("a leaf names one listed host, lives a week, and its key is not the authority's", () => {
  const now = Date.now();
  const leaf = authority.issue(api2, now);
  const certificate = new X509Certificate(leaf.chain);
  assert.equal(certificate.subjectAltName, `DNS:${api2}`);
  assert.ok(certificate.verify(new X509Certificate(files.certificate).publicKey));
  assert.equal(Math.round((leaf.notAfterMs - now) / 86_400_000), 7);
  assert.notEqual(leaf.key, files.key);
  for (const host of [
    ...hosts,
    ...logins,
    "127.0.0.1",
    "API2.cursor.sh",
    `${api2}.`,
    "*.cursor.sh",
    "äpi2.cursor.sh",
    "",
  ])
    assert.throws(() => authority.issue(host, now), /No certificate is ever made/);
});

test("a certificate that is not this program's, or has ended, is refused with a reason", async () => {
  const now = Date.now();
  const other = await makeAuthority("other", now);
  const read = (certificate: string, key: string, at = now) => readAuthority({ certificate, key }, at);
  assert.throws(() => read(other.certificate, files.key), /the key is not the certificate's/);
  assert.throws(() => read(files.certificate.slice(0, 300), files.key), /it is damaged/);
  assert.throws(() => read(files.certificate, ""), /it is damaged/);
  assert.throws(() => read(files.certificate, files.key, now + 3 * 365 * 86_400_000), /it ended on/);
  const leaf = authority.issue(api2, now);
  assert.throws(() => read(leaf.chain, leaf.key), /it is no authority/);
  const { publicKey, privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const unlimited = toCertificate(
    {
      ...{ subject: "Ownkey", issuer: "Ownkey", publicKey },
      ...{ notBefore: new Date(now - 1000), notAfter: new Date(now + 86_400_000) },
      extensions: [{ name: "basicConstraints", cA: true, critical: true }],
    },
    privateKey,
  );
  const key = privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  assert.throws(() => read(unlimited, key), /it is not limited to Cursor's hosts/);
});
