/** An edit, line by line. Signs stand before the lines: colours alone would not tell. */
import { useEffect, useState } from "react";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../foreign.tsx";
import { Scrollable } from "../scrollable.tsx";
import type { DiffLine } from "./diff.ts";
import styles from "./text.module.css";

interface DiffViewProps {
  readonly before: string;
  readonly after: string;
}

export function DiffView({ before, after }: DiffViewProps) {
  const words = useWords();
  const [lines, setLines] = useState<readonly DiffLine[] | null>(null);
  useEffect(() => {
    let isGone = false;
    void import("./diff.ts").then(({ diffOf }) => {
      if (!isGone) setLines(diffOf(before, after));
    });
    return () => {
      isGone = true;
    };
  }, [before, after]);
  return (
    <Scrollable label={words.text("diff.label")} className={styles.diff}>
      {(lines ?? []).map(({ type, text }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a diff is drawn anew as a whole
        <div key={at} data-type={type}>
          <span aria-hidden="true">{signs[type]}</span>
          {type === "gap" ? words.plural("diff.gap", Number(text)) : <Foreign text={text} />}
        </div>
      ))}
    </Scrollable>
  );
}

const signs: Readonly<Record<DiffLine["type"], string>> = { same: " ", added: "+", removed: "−", gap: "⋯" };
