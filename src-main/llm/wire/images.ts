/** Images for models that see none: a note in their place, so that the model knows something stood there. */
import type { ImagePart, TextPart } from "../types.ts";

export const noteOf = (image: ImagePart): string =>
  `[An image (${image.mimeType}, ${Math.ceil((image.data.length * 3) / 4 / 1024)} KiB) stood here; this model cannot see images.]`;

/** The same parts for a model that may or may not see. */
export const seenBy = (
  parts: readonly (TextPart | ImagePart)[],
  sees: boolean,
): readonly (TextPart | ImagePart)[] =>
  sees ? parts : parts.map((part) => (part.type === "image" ? { type: "text", text: noteOf(part) } : part));
