/** What kind of image bytes are, by how they begin; null for none that a model takes. */
export function imageType(data: Uint8Array): string | null {
  const begins = (...bytes: readonly number[]) => bytes.every((byte, at) => data[at] === byte);
  if (begins(0x89, 0x50, 0x4e, 0x47)) return "image/png";
  if (begins(0xff, 0xd8, 0xff)) return "image/jpeg";
  if (begins(0x47, 0x49, 0x46, 0x38)) return "image/gif";
  if (begins(0x52, 0x49, 0x46, 0x46) && data[8] === 0x57 && data[9] === 0x45) return "image/webp";
  return null;
}
