/** Text that somebody else wrote (names, addresses, error sentences): text only, nothing hidden in it. */
import styles from "../styles/parts.module.css";
import { inkOf } from "./ink.ts";

export function Foreign({ text }: { readonly text: string }) {
  return (
    <bdi>
      {inkOf(text).map((piece) =>
        piece.type === "text" ? (
          piece.text
        ) : (
          <span key={piece.index} className={styles.inkless}>
            {piece.text}
          </span>
        ),
      )}
    </bdi>
  );
}
