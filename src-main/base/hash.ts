/** SHA-256, HMAC and the comparison of secrets. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** 32 bytes. */
export function sha256(...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
}

/** 32 bytes. */
export function hmac(key: Uint8Array, ...parts: readonly (Uint8Array | string)[]): Uint8Array {
  const mac = createHmac("sha256", key);
  for (const part of parts) mac.update(part);
  return mac.digest();
}

export const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");

/** Compares by hash, so that neither length nor content shows in the time it takes. */
export const isSameSecret = (a: string, b: string): boolean => timingSafeEqual(sha256(a), sha256(b));
