/** Where a fetch may go: a table of spellings, and of what names resolve to. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import { kindOf } from "../../src-main/base/addresses.ts";
import { judge, placeOf, urlProblem } from "../../src-main/web/address.ts";

const ownPorts = [7788];

type Judged = "allowed" | "ask" | "denied";

/** `addresses`: what the name resolves to; left out where the url holds the address itself. */
const verdict = (spelling: string, ...addresses: readonly string[]): Judged => {
  const url = new URL(spelling);
  const literal = url.hostname.replace(/^\[(.*)\]$/, "$1");
  return urlProblem(url) ? "denied" : judge(url, addresses.length > 0 ? addresses : [literal], ownPorts).type;
};

const table: readonly (readonly [verdict: Judged, spelling: string, ...addresses: string[]])[] = [
  // this machine, however it is written
  ["ask", "http://127.0.0.1/"],
  ["ask", "http://2130706433/"],
  ["ask", "http://0x7f.1/"],
  ["ask", "http://127.1:8080/"],
  ["ask", "http://0177.0.0.1/"],
  ["ask", "http://①②⑦.0.0.1/"],
  ["ask", "http://127.255.255.254/"],
  ["ask", "http://[::1]/"],
  ["ask", "http://[0:0:0:0:0:0:0:1]/"],
  ["ask", "http://[::ffff:127.0.0.1]/"],
  ["ask", "http://[::ffff:7f00:1]/"],
  ["ask", "http://[64:ff9b::127.0.0.1]/"],
  ["ask", "http://[2002:7f00:1::]/"],
  ["ask", "http://[::127.0.0.1]/"],
  ["ask", "http://localhost/", "127.0.0.1", "::1"],
  ["ask", "http://localhost.:3000/", "127.0.0.1"],
  ["ask", "http://shop.test/", "127.0.0.1"],
  // a public name that leads here
  ["denied", "http://127.0.0.1.nip.io/", "127.0.0.1"],
  ["denied", "https://rebind.example.com/", "::1"],
  ["denied", "https://rebind.example.com/", "93.184.216.34", "127.0.0.1"],
  // Ownkey's own port
  ["denied", "http://127.0.0.1:7788/"],
  ["denied", "http://localhost:7788/", "::1"],
  ["denied", "http://[::ffff:127.0.0.1]:7788/"],
  ["denied", "http://2130706433:7788/"],
  // networks behind the router
  ["ask", "http://10.1.2.3/"],
  ["ask", "http://172.31.255.255/"],
  ["ask", "http://192.168.1.1/"],
  ["ask", "http://100.64.0.1/"],
  ["ask", "http://[fd12:3456::1]/"],
  ["ask", "http://[fec0::1]/"],
  ["ask", "http://[::ffff:192.168.1.1]/"],
  ["ask", "http://[64:ff9b:1::192.168.1.1]/"],
  ["ask", "https://wiki.example.com/", "10.0.0.9"],
  ["ask", "http://203.0.113.7/"],
  // never
  ["denied", "http://169.254.169.254/latest/meta-data"],
  ["denied", "http://2852039166/"],
  ["denied", "http://[::ffff:169.254.169.254]/"],
  ["denied", "http://[64:ff9b::a9fe:a9fe]/"],
  ["denied", "http://[fd00:ec2::254]/"],
  ["denied", "http://100.100.100.200/"],
  ["denied", "http://169.254.169.254.nip.io/", "169.254.169.254"],
  ["denied", "http://[fe80::1]/"],
  ["denied", "http://fe.example.com/", "fe80::1%eth0"],
  ["denied", "http://fe.example.com/", "fe80::%eth0"],
  ["denied", "http://0.0.0.0/"],
  ["denied", "http://0/"],
  ["denied", "http://[::]/"],
  ["denied", "http://224.0.0.1/"],
  ["denied", "http://[ff02::1]/"],
  ["denied", "http://255.255.255.255/"],
  ["denied", "https://mixed.example.com/", "93.184.216.34", "169.254.169.254"],
  ["denied", "https://nothing.example.com/", "not an address"],
  // other schemes, credentials
  ["denied", "file:///etc/passwd"],
  ["denied", "ftp://example.com/"],
  ["denied", "http://user:pass@example.com/", "93.184.216.34"],
  ["denied", "http://user@example.com/", "93.184.216.34"],
  // the public web, at its ports
  ["allowed", "https://example.com/", "93.184.216.34"],
  ["allowed", "http://example.com:8080/", "93.184.216.34", "2606:2800:220:1::"],
  ["allowed", "https://example.com:8443/", "2606:2800:220:1::"],
  ["allowed", "http://1.1.1.1/"],
  ["allowed", "http://172.32.0.1/"],
  ["allowed", "http://[64:ff9b::1.1.1.1]/"],
  ["ask", "http://example.com:22/", "93.184.216.34"],
  ["ask", "https://example.com:6443/", "93.184.216.34"],
  ["allowed", "http://example.com:443/", "93.184.216.34"],
  // a VPN's stand-in addresses count for the name
  ["allowed", "https://example.com/", "198.18.0.7"],
  ["allowed", "https://example.com/", "198.19.255.1"],
  ["ask", "https://example.com:9000/", "198.18.0.7"],
  ["ask", "http://198.18.0.7/"],
  ["ask", "http://nas.lan/", "198.18.0.7"],
  ["ask", "http://nas/", "198.18.0.7"],
];

describe("address", () => {
  for (const [expected, spelling, ...addresses] of table)
    test(`${expected}: ${spelling} ${addresses.join(" ")}`, () =>
      assert.equal(verdict(spelling, ...addresses), expected));

  test("a name that resolved to nothing leads nowhere", () => {
    assert.equal(judge(new URL("https://example.com/"), [], ownPorts).type, "denied");
  });

  test("a refusal says why", () => {
    const reason = (spelling: string, ...addresses: string[]) => {
      const said = judge(new URL(spelling), addresses, ownPorts);
      return said.type === "denied" && said.reason;
    };
    assert.equal(
      reason("http://meta.example.com/", "169.254.169.254"),
      "meta.example.com leads to an address that is closed to web fetches (169.254.169.254).",
    );
    assert.equal(
      reason("http://localhost:7788/", "127.0.0.1"),
      "Port 7788 of this machine is Ownkey's own and closed to tools.",
    );
    assert.equal(
      reason("http://a.example.com:3000/", "127.0.0.1"),
      "a.example.com leads to this machine (127.0.0.1); fetch that address by its number if it is meant.",
    );
  });

  test("every IPv4 address is judged alike, bare, mapped and translated", () => {
    const octets = fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255));
    fc.assert(
      fc.property(octets, ([a, b, c, d]) => {
        const hex = [a, b, c, d].map((part) => part.toString(16).padStart(2, "0"));
        const groups = `${hex[0]}${hex[1]}:${hex[2]}${hex[3]}`;
        const kind = kindOf(`${a}.${b}.${c}.${d}`);
        assert.equal(kindOf(`::ffff:${a}.${b}.${c}.${d}`), kind);
        assert.equal(kindOf(`::ffff:${groups}`), kind);
        assert.equal(kindOf(`64:ff9b::${groups}`), kind);
        assert.equal(kindOf(`2002:${groups}::1`), kind);
      }),
    );
  });

  test("a place is host and port, without the final dot and with the port of the scheme", () => {
    assert.equal(placeOf(new URL("https://Example.com./x")), "example.com:443");
    assert.equal(placeOf(new URL("http://[::1]:3000/")), "::1:3000");
    assert.equal(placeOf(new URL("http://example.com")), "example.com:80");
  });
});
