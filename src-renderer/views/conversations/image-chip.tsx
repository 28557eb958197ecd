/** An image of a message: a chip that says how large it is, and the image itself when it is asked for. */
import { ImageIcon } from "lucide-react";
import { useState } from "react";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import styles from "./blocks.module.css";
import type { PartPlace } from "./items.ts";
import { useReadingId } from "./use-reading.ts";

interface ImageChipProps {
  readonly part: { readonly mimeType: string; readonly bytes: number };
  readonly place: PartPlace;
}

/** What a browser draws without running anything. */
const drawn = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

export function ImageChip({ part, place }: ImageChipProps) {
  const words = useWords();
  const { stores } = useFrame();
  const id = useReadingId();
  const [source, setSource] = useState<string | null>(null);
  const show = () =>
    void stores.client.call("conversations.part", { id, ...place }).then((found) => {
      if ("data" in found) setSource(`data:${found.mimeType};base64,${found.data}`);
    });
  if (source) return <img className={styles.image} src={source} alt={words.text("image.alt")} />;
  return (
    <button type="button" className={styles.chip} disabled={!drawn.has(part.mimeType)} onClick={show}>
      <ImageIcon size={14} aria-hidden="true" />
      <Foreign text={part.mimeType} /> · {words.bytes(part.bytes)}
    </button>
  );
}
