/** What systems say of their proxy, as they say it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  fromEnvironment,
  fromRegistry,
  fromScutil,
  isBypassed,
  proxyUrl,
  readSystemProxy,
} from "../../../src-main/app/outbound/system-proxy.ts";

const registry = (enable: number, server: string, override = "localhost;*.corp.example;<local>") => `
HKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings
    ProxyEnable    REG_DWORD    0x${enable}
    ProxyServer    REG_SZ    ${server}
    ProxyOverride    REG_SZ    ${override}
`;

const scutil = `<dictionary> {
  ExceptionsList : <array> {
    0 : *.local
    1 : 169.254/16
  }
  HTTPEnable : 1
  HTTPPort : 8001
  HTTPProxy : plain.example
  HTTPSEnable : 1
  HTTPSPort : 8080
  HTTPSProxy : proxy.example
  SOCKSEnable : 0
}`;

test("the environment: https before all, small letters before capitals", () => {
  const url = (env: Record<string, string>) => fromEnvironment(env).url;
  assert.equal(url({ HTTPS_PROXY: "http://a:1", ALL_PROXY: "socks5://b:2" }), "http://a:1");
  assert.equal(url({ HTTPS_PROXY: "http://a:1", https_proxy: "http://c:3" }), "http://c:3");
  assert.equal(url({ ALL_PROXY: "socks5h://b:2" }), "socks5://b:2");
  assert.equal(url({}), null);
  assert.deepEqual(fromEnvironment({ HTTPS_PROXY: "a:1", NO_PROXY: "x.example, .y" }).bypass, [
    "x.example",
    ".y",
  ]);
});

test("Windows' registry: one server for all, one a scheme, or switched off", () => {
  assert.deepEqual(fromRegistry(registry(1, "127.0.0.1:7890")), {
    url: "http://127.0.0.1:7890",
    bypass: ["localhost", "*.corp.example", "<local>"],
  });
  assert.equal(fromRegistry(registry(1, "http=a:1;https=b:2;socks=c:3")).url, "http://b:2");
  assert.equal(fromRegistry(registry(1, "socks=c:3")).url, "socks5://c:3");
  assert.equal(fromRegistry(registry(0, "127.0.0.1:7890")).url, null);
  assert.equal(fromRegistry("ERROR: nothing").url, null);
});

test("macOS' scutil: https first, with its exceptions", () => {
  assert.deepEqual(fromScutil(scutil), {
    url: "http://proxy.example:8080",
    bypass: ["*.local", "169.254/16"],
  });
  assert.equal(fromScutil(scutil.replaceAll("Enable : 1", "Enable : 0")).url, null);
});

test("each system is asked in its own way, by the program's full path, and the environment outdoes it", async () => {
  const ran: string[] = [];
  const run = async (file: string) => {
    ran.push(file);
    return file.includes("scutil") ? scutil : registry(1, "w:1");
  };
  assert.equal((await readSystemProxy("darwin", {}, run)).url, "http://proxy.example:8080");
  assert.equal((await readSystemProxy("win32", { SystemRoot: "D:\\Windows" }, run)).url, "http://w:1");
  assert.equal((await readSystemProxy("linux", {}, run)).url, null);
  assert.equal((await readSystemProxy("darwin", { HTTPS_PROXY: "e:1" }, run)).url, "http://e:1");
  assert.deepEqual(ran, ["/usr/sbin/scutil", "D:\\Windows\\System32\\reg.exe"]);
});

test("a proxy is written with or without its scheme", () => {
  assert.equal(proxyUrl("127.0.0.1:7890"), "http://127.0.0.1:7890");
  assert.equal(proxyUrl("socks://a:1"), "socks5://a:1");
  for (const text of ["", "ftp://a:1", "a b", "http://"]) assert.equal(proxyUrl(text), null, text);
});

test("hosts that the system takes out are reached without it", () => {
  const bypass = ["x.example", "*.corp.example", ".dot.example", "<local>"];
  for (const host of ["x.example", "a.x.example", "a.corp.example", "a.dot.example", "intranet"])
    assert.ok(isBypassed(host, bypass), host);
  for (const host of ["example", "xx.example"].slice(1)) assert.ok(!isBypassed(host, bypass), host);
  assert.ok(isBypassed("anything.example", ["*"]));
});
