/** A command to run in a terminal, ready to be copied whole. */
import styles from "../styles/parts.module.css";
import { CopyButton } from "./copy-button.tsx";

export function CommandLine({ command }: { readonly command: string }) {
  return (
    <div className={styles.command}>
      <code>{command}</code>
      <CopyButton text={command} />
    </div>
  );
}
