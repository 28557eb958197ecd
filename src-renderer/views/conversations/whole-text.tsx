/** A text of which the program sent the beginning: the rest comes when somebody asks for it. */
import { type ReactNode, useState } from "react";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import parts from "../../styles/parts.module.css";
import type { PartPlace } from "./items.ts";
import { useReadingId } from "./use-reading.ts";

interface WholeTextProps {
  readonly part: { readonly text: string; readonly length: number };
  readonly place: PartPlace;
  readonly children: (text: string) => ReactNode;
}

export function WholeText({ part, place, children }: WholeTextProps) {
  const words = useWords();
  const { stores } = useFrame();
  const id = useReadingId();
  const [whole, setWhole] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const text = whole ?? part.text;
  const isCut = text.length < part.length;

  const load = () =>
    void stores.client.call("conversations.part", { id, ...place }).then(
      (found) => "text" in found && setWhole(found.text),
      (reason: unknown) => setFailure(String(reason)),
    );

  return (
    <>
      {children(text)}
      {isCut && (
        <p className={parts.cut}>
          {words.text("text.cut", { shown: words.number(text.length), all: words.number(part.length) })}
          <button type="button" className={parts.button} onClick={load}>
            {words.text("text.showAll")}
          </button>
          {failure}
        </p>
      )}
    </>
  );
}
