/** The language of the window, for components. */
import { createContext, Fragment, type ReactNode, useContext } from "react";
import { createWords, type TextKey, type Words } from "./words.ts";

export const Language = createContext<Words>(createWords("en"));

export const useWords = (): Words => useContext(Language);

interface RichTextProps {
  readonly of: TextKey;
  /** An element for each placeholder. */
  readonly fill: Readonly<Record<string, ReactNode>>;
}

/** A sentence with elements in it, in the order its language wants. */
export function RichText({ of, fill }: RichTextProps) {
  return useWords()
    .pieces(of)
    .map((piece) =>
      typeof piece === "string" ? piece : <Fragment key={piece.name}>{fill[piece.name]}</Fragment>,
    );
}
