/** The commands for people who run the program from its source folder. */
import { RichText } from "../i18n/language.tsx";
import styles from "../styles/parts.module.css";
import { program, sourceProgram } from "./commands.ts";

export function SourceHint() {
  return (
    <p className={styles.hint}>
      <RichText
        of="command.source"
        fill={{ command: <code>{sourceProgram}</code>, program: <code>{program}</code> }}
      />
    </p>
  );
}
