/** What a command printed, with the colours it asked for and nothing else. */
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../foreign.tsx";
import { Scrollable } from "../scrollable.tsx";
import { spansOf } from "./ansi.ts";
import styles from "./text.module.css";

export function Terminal({ output }: { readonly output: string }) {
  const words = useWords();
  return (
    <Scrollable label={words.text("terminal.label")} className={styles.terminal}>
      {spansOf(output).map(({ text, colour, isBold }, at) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: output is drawn anew as a whole
          key={at}
          data-colour={colour ?? undefined}
          data-bold={isBold || undefined}
        >
          <Foreign text={text} />
        </span>
      ))}
    </Scrollable>
  );
}
