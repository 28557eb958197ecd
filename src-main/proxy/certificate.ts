/**
 * X.509 certificates: forge builds what is signed, node signs it (forge's own RSA blocks the loop for up to 500 ms).
 *
 * Rule: a serial begins with 01..7f. A number that is not minimal DER makes some clients refuse one certificate in 500.
 */
import { type KeyObject, randomBytes, sign } from "node:crypto";
import forge from "node-forge";

const { asn1, pki } = forge;
type Asn1 = forge.asn1.Asn1;

export interface CertificateFields {
  readonly subject: string;
  readonly issuer: string;
  readonly publicKey: KeyObject;
  readonly notBefore: Date;
  readonly notAfter: Date;
  /** As forge takes them. */
  readonly extensions: readonly object[];
}

/** PEM. `signer`: an RSA key; the signature is RSA with SHA-256. */
export function toCertificate(fields: CertificateFields, signer: KeyObject): string {
  const draft = pki.createCertificate();
  draft.serialNumber = `01${randomBytes(15).toString("hex")}`;
  draft.validity.notBefore = fields.notBefore;
  draft.validity.notAfter = fields.notAfter;
  draft.setSubject(nameOf(fields.subject));
  draft.setIssuer(nameOf(fields.issuer));
  draft.setExtensions([...fields.extensions]);
  draft.siginfo.algorithmOid = rsaWithSha256;
  draft.signatureOid = rsaWithSha256;
  // forge knows RSA keys only; whatever key it is, its own encoding takes this place.
  draft.publicKey = placeholder;
  // What is to be signed, then a signature that is none yet.
  const [body = sequence()] = pki.certificateToAsn1(draft).value as Asn1[];
  (body.value as Asn1[])[publicKeyAt] = asn1.fromDer(
    fields.publicKey.export({ type: "spki", format: "der" }).toString("binary"),
  );
  const signature = sign("sha256", bytesOf(body), signer);
  return toPem(
    bytesOf(
      sequence(
        body,
        sequence(leaf(asn1.Type.OID, asn1.oidToDer(rsaWithSha256).getBytes()), leaf(asn1.Type.NULL, "")),
        leaf(asn1.Type.BITSTRING, `\0${signature.toString("binary")}`),
      ),
    ),
  );
}

// ---- ASN.1 ---------------------------------------------------------------------------------------------

const rsaWithSha256 = "1.2.840.113549.1.1.11";
/** Version, serial, signature, issuer, validity, subject, then the key (RFC 5280, section 4.1). */
const publicKeyAt = 6;
const placeholder = pki.setRsaPublicKey(
  new forge.jsbn.BigInteger("c1", 16),
  new forge.jsbn.BigInteger("3", 16),
);

const nameOf = (commonName: string): forge.pki.CertificateField[] => [
  { name: "commonName", value: commonName, valueTagClass: asn1.Type.UTF8 as unknown as forge.asn1.Class },
];

export const bytesOf = (value: Asn1): Buffer => Buffer.from(asn1.toDer(value).getBytes(), "binary");

export const sequence = (...parts: Asn1[]): Asn1 =>
  asn1.create(asn1.Class.UNIVERSAL, asn1.Type.SEQUENCE, true, parts);

/** Primitive content, each character a byte. */
const leaf = (type: forge.asn1.Type, content: string): Asn1 =>
  asn1.create(asn1.Class.UNIVERSAL, type, false, content);

export const octets = (content: string): Asn1 => leaf(asn1.Type.OCTETSTRING, content);

/** Context-specific [tag]: constructed of parts, or primitive of bytes. */
export const tagged = (tag: number, content: Asn1[] | string): Asn1 =>
  asn1.create(asn1.Class.CONTEXT_SPECIFIC, tag as forge.asn1.Type, Array.isArray(content), content);

function toPem(der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""].join("\n");
}
