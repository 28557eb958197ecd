import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { type DoctorParts, diagnose } from "../../../src-main/app/doctor/doctor.ts";
import { OwnkeyError } from "../../../src-main/base/errors.ts";
import type { CaView } from "../../../src-main/contract/cursor.ts";
import { makeAuthority } from "../../../src-main/proxy/authority.ts";
import { createSightings } from "../../../src-main/proxy/sightings.ts";
import { createFakeClock } from "../../support/fake-clock.ts";

const ready: CaView = {
  ...{ state: "ready", problem: null, file: null, name: "n", sha256: "s", endsMs: 1, isDue: false },
  stores: [{ name: "nss", title: "Chromium's", trusted: true, manual: [] }],
};

function parts(change: Partial<DoctorParts> = {}): DoctorParts {
  const clock = createFakeClock();
  return {
    clock,
    channels: { enabled: () => [] },
    trust: { show: async () => ready },
    setup: {
      state: () => ({
        isApplied: true,
        file: "/s.json",
        changed: [],
        isTrustedElsewhere: false,
        loginEntry: null,
      }),
    },
    sightings: createSightings(clock),
    proxy: () => ({ port: 1, probe: async () => {}, close: async () => {} }),
    ...change,
  };
}

const verdicts = async (given: DoctorParts) =>
  Object.fromEntries((await diagnose(given)).map(({ link, verdict }) => [link, verdict]));

test("each link is looked at, and what is broken has a remedy", async () => {
  const found = await verdicts(parts());
  assert.deepEqual(found, {
    ...{ program: "good", certificate: "good", trust: "good", settings: "good", upstream: "good" },
    ...{ models: "broken", traffic: "doubtful", version: "unknown", account: "unknown" },
  });
  for (const finding of await diagnose(parts()))
    if (finding.verdict === "broken") assert.ok(finding.remedy, finding.link);
});

test("a program that does not run, a certificate nobody trusts, settings that were changed", async () => {
  const found = await verdicts(
    parts({
      proxy: () => null,
      trust: {
        show: async () => ({
          ...ready,
          stores: [{ name: "nss", title: "Chromium's", trusted: false, manual: [] }],
        }),
      },
      setup: {
        state: () => ({
          isApplied: true,
          file: "/s.json",
          changed: ["http.proxy"],
          isTrustedElsewhere: false,
          loginEntry: null,
        }),
      },
    }),
  );
  assert.deepEqual(
    [found.program, found.trust, found.settings, found.upstream],
    ["broken", "doubtful", "broken", undefined],
  );
});

test("a clock that is wrong, and a server that cannot be reached, are told apart", async () => {
  const failing = (message: string) =>
    parts({
      proxy: () => ({
        port: 1,
        close: async () => {},
        probe: () => Promise.reject(new OwnkeyError("network", message)),
      }),
    });
  const remedy = async (message: string) =>
    (await diagnose(failing(message))).find(({ link }) => link === "upstream")?.remedy ?? "";
  assert.match(await remedy("certificate is not yet valid"), /clock/);
  assert.match(await remedy("getaddrinfo ENOTFOUND"), /internet/);
});

test("a proxy that runs, but is not reached on this machine's own address, is told as what a VPN does", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-doctor-"));
  const file = join(folder, "ca.pem");
  writeFileSync(file, (await makeAuthority("test", Date.now())).certificate);
  const other = createServer((socket) => socket.end("HTTP/1.1 200 OK\r\n\r\nnot Ownkey")).listen(
    0,
    "127.0.0.1",
  );
  await once(other, "listening");
  t.after(() => {
    other.close();
    rmSync(folder, { recursive: true });
  });
  const { port } = other.address() as AddressInfo;
  const given = parts({
    trust: { show: async () => ({ ...ready, file }) },
    proxy: () => ({ port, probe: async () => {}, close: async () => {} }),
  });
  const found = (await diagnose(given)).find(({ link }) => link === "proxy");
  assert.equal(found?.verdict, "broken");
  assert.match(found?.remedy ?? "", /VPN.*TUN.*127\.0\.0\.0\/8/);
});

test("a client that turned back is noticed until one is served", async () => {
  const given = parts();
  const clock = given.clock as ReturnType<typeof createFakeClock>;
  given.sightings.request("/x", 1, "sdk-1.0.32");
  assert.deepEqual(await verdicts(given).then(({ traffic, version }) => [traffic, version]), [
    "good",
    "good",
  ]);
  await clock.advance(1000);
  given.sightings.distrust();
  assert.equal((await verdicts(given)).traffic, "broken");
  await clock.advance(1000);
  given.sightings.request("/x", 1, "2.9.0");
  assert.deepEqual(await verdicts(given).then(({ traffic, version }) => [traffic, version]), [
    "good",
    "unknown",
  ]);
});
