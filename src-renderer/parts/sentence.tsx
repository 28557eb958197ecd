/** What went wrong, in the words of the program or of a server, with a way to take it along. */
import { useWords } from "../i18n/language.tsx";
import styles from "../styles/parts.module.css";
import { CopyButton } from "./copy-button.tsx";
import { Foreign } from "./foreign.tsx";
import { inkText } from "./ink.ts";

export function Sentence({ text }: { readonly text: string }) {
  const words = useWords();
  return (
    <div className={styles.sentence}>
      <p>
        <Foreign text={text} />
      </p>
      <CopyButton text={inkText(text)} name={words.text("action.copyError")} />
    </div>
  );
}
