/** A certificate for 127.0.0.1 that its own key has signed, made for this process (X.509 v3 as DER, RFC 5280). */
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface Certificate {
  /** PEM files. */
  readonly cert: string;
  readonly key: string;
  /** What a client must trust. */
  readonly pem: string;
}

const made = new Map<string, Certificate>();

/** Good from one day to another, counted from now. */
export function certificate(from = -1, to = 2): Certificate {
  const known = made.get(`${from} ${to}`) ?? make(from, to);
  made.set(`${from} ${to}`, known);
  return known;
}

function make(from: number, to: number): Certificate {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-certificate-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const body = sequence(
    der(0xa0, integer(2)), // v3
    integer(1),
    ecdsaWithSha256,
    name,
    sequence(time(from), time(to)),
    name,
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(isAuthority, alternativeName)),
  );
  const signature = sign("sha256", body, privateKey);
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.concat([Buffer.of(0), signature])));
  const lines = whole.toString("base64").match(/.{1,64}/g) ?? [];
  const pem = ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(cert, pem);
  writeFileSync(key, privateKey.export({ type: "pkcs8", format: "pem" }));
  return { cert, key, pem };
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const integer = (value: number) => der(0x02, Buffer.of(value));
const object = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
/** Days from now, as YYMMDDHHMMSSZ. */
const time = (days: number) =>
  der(
    0x17,
    Buffer.from(
      `${new Date(Date.now() + days * 86_400_000).toISOString().replaceAll(/\D/g, "").slice(2, 14)}Z`,
    ),
  );

const ecdsaWithSha256 = sequence(object("2a8648ce3d040302"));
const name = sequence(der(0x31, sequence(object("550403"), der(0x0c, Buffer.from("Ownkey test")))));
const isAuthority = sequence(object("551d13"), der(0x04, sequence(der(0x01, Buffer.of(0xff)))));
const alternativeName = sequence(object("551d11"), der(0x04, sequence(der(0x87, Buffer.of(127, 0, 0, 1)))));
