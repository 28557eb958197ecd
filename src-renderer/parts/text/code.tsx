/** Code with a copy button; its colours come when they are there. */
import { useEffect, useRef } from "react";
import { useWords } from "../../i18n/language.tsx";
import parts from "../../styles/parts.module.css";
import { CopyButton } from "../copy-button.tsx";
import { inkOf } from "../ink.ts";
import { Scrollable } from "../scrollable.tsx";
import styles from "./text.module.css";

interface CodeProps {
  readonly text: string;
  /** As its writer named it; "" when nobody did. */
  readonly language: string;
}

export function Code({ text, language }: CodeProps) {
  const words = useWords();
  return (
    <figure className={styles.code}>
      <figcaption>
        <span>{language}</span>
        <CopyButton text={text} name={words.text("action.copyCode")} />
      </figcaption>
      <Coloured text={text} language={language} />
    </figure>
  );
}

/** Scrolls by itself, so it can be reached by keys. */
export function Coloured({ text, language }: CodeProps) {
  const words = useWords();
  const place = useRef<HTMLElement>(null);
  useEffect(() => {
    if (language === "" || inkOf(text).some(({ type }) => type === "mark")) return;
    let isGone = false;
    void import("./highlight.ts").then(({ highlighted }) => {
      const coloured = isGone ? null : highlighted(text, aliases[language] ?? language);
      if (coloured) place.current?.replaceChildren(coloured);
    });
    return () => {
      isGone = true;
    };
  }, [text, language]);
  return (
    <Scrollable label={words.text("code.label")} className={styles.pre}>
      <code ref={place} key={`${language} ${text}`}>
        {inkOf(text).map(({ type, text: piece, index }) =>
          type === "mark" ? (
            <span key={index} className={parts.inkless}>
              {piece}
            </span>
          ) : (
            piece
          ),
        )}
      </code>
    </Scrollable>
  );
}

const aliases: Readonly<Record<string, string>> = {
  cpp: "c",
  html: "xml",
  js: "javascript",
  jsx: "javascript",
  py: "python",
  rs: "rust",
  sh: "bash",
  shell: "bash",
  ts: "typescript",
  tsx: "typescript",
  yml: "yaml",
  zsh: "bash",
};
