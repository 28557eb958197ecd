import assert from "node:assert/strict";
import { once } from "node:events";
import { chmodSync, existsSync, lstatSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { openFolder } from "../../src-main/app/folder.ts";
import { proofOf } from "../../src-main/app/sessions.ts";
import { announce, findRunning } from "../../src-main/host/run-file.ts";

describe("run.json", () => {
  let scratch: string;
  const servers: { close(): void }[] = [];
  before(() => {
    scratch = mkdtempSync(join(tmpdir(), "ownkey-run-"));
  });
  after(() => {
    for (const server of servers) server.close();
    rmSync(scratch, { recursive: true, force: true });
  });
  const fileOf = (name: string) => join(scratch, name, "secrets", "run.json");
  const folderOf = (name: string) => openFolder(join(scratch, name));

  /** Answers challenges as `token` would, and notes everything that it is told. */
  async function program(token: string): Promise<{ readonly port: number; readonly told: string[] }> {
    const told: string[] = [];
    const server = createServer(async (request, response) => {
      const body = (await request.toArray()).join("");
      told.push(JSON.stringify([request.headers, body]));
      response.end(JSON.stringify({ proof: proofOf(token, JSON.parse(body).nonce) }));
    }).listen(0, "127.0.0.1");
    servers.push(server);
    await once(server, "listening");
    return { port: (server.address() as AddressInfo).port, told };
  }

  test("leads to the program that wrote it, which is not told the token before it has proven to know it", async () => {
    const folder = folderOf("real");
    const { port, told } = await program("the-token");
    const running = { pid: 1, port, token: "the-token" };
    const withdraw = announce(folder, running);
    assert.deepEqual(await findRunning(folder), running);
    assert.ok(told.length === 1 && !told[0]?.includes("the-token"));
    withdraw();
    assert.equal(existsSync(fileOf("real")), false);
    assert.equal(await findRunning(folder), null);
    withdraw();
  });

  test("of a program that has gone is stale, though its pid and its port live on in others", async () => {
    const folder = folderOf("stale");
    const { port, told } = await program("a-squatter's");
    announce(folder, { pid: process.pid, port, token: "the-token" });
    assert.equal(await findRunning(folder), null);
    assert.ok(!told.join().includes("the-token"));
    const { port: next } = await program("second");
    announce(folder, { pid: 2, port: next, token: "second" });
    assert.equal((await findRunning(folder))?.pid, 2);
  });

  test("that nobody listens behind is stale; one that says nonsense is, too", async () => {
    const folder = folderOf("nobody");
    announce(folder, { pid: 1, port: 1, token: "t" });
    assert.equal(await findRunning(folder), null);
    for (const text of ["", "{", "[]", "null", '{"pid":1}', '{"pid":1,"port":"x","token":"t"}']) {
      writeFileSync(fileOf("nobody"), text);
      assert.equal(await findRunning(folder), null, text);
    }
  });

  test("that was written by a later program is left alone by an earlier one", () => {
    const folder = folderOf("later");
    const withdraw = announce(folder, { pid: 1, port: 1, token: "earlier" });
    announce(folder, { pid: 2, port: 2, token: "later" });
    withdraw();
    assert.equal(existsSync(fileOf("later")), true);
  });

  test("is ours alone; one that is a link or open to others is refused", {
    skip: process.platform === "win32",
  }, async () => {
    const folder = folderOf("modes");
    announce(folder, { pid: 1, port: 1, token: "t" });
    assert.equal(lstatSync(fileOf("modes")).mode & 0o777, 0o600);
    chmodSync(fileOf("modes"), 0o644);
    await assert.rejects(findRunning(folder), /open to other users/);
    rmSync(fileOf("modes"));
    symlinkSync(join(scratch, "elsewhere"), fileOf("modes"));
    await assert.rejects(findRunning(folder), /symbolic link/);
  });
});
