/** A tool's name as a wire takes it: its own where that fits, else cleaned and marked, so that no two become alike. */
import { sha256, toHex } from "../../base/hash.ts";

/** Letters, digits, _ and -, a letter or _ in front, 64 characters: what each of the four APIs takes. */
const fitting = /^[A-Za-z_][\w-]{0,63}$/;
const markDigits = 8;

export function plainToolName(name: string): string {
  if (fitting.test(name)) return name;
  const mark = toHex(sha256(name)).slice(0, markDigits);
  const plain = name.replaceAll(/[^\w-]/g, "_").replace(/^(?![A-Za-z_])/, "_");
  return `${plain.slice(0, 64 - markDigits - 1)}_${mark}`;
}
