/** The shortcuts of the window. */
import { useWords } from "../../i18n/language.tsx";
import styles from "./settings.module.css";

const shortcuts = [
  ["Ctrl+1 … 8", "pages"],
  ["Ctrl+,", "settings"],
  ["Ctrl+K", "palette"],
  ["Alt+← Alt+→", "back"],
  ["/", "filter"],
  ["Ctrl+F", "find"],
  ["F3, Shift+F3", "next"],
  ["j k ↑ ↓", "rows"],
  ["Home End PgUp PgDn", "far"],
  ["n", "add"],
  ["Enter", "open"],
  ["Esc", "close"],
  ["F1, ?", "list"],
] as const;

export function Keyboard() {
  const words = useWords();
  return (
    <table className={styles.table}>
      <thead>
        <tr>
          <th scope="col">{words.text("keyboard.keys")}</th>
          <th scope="col">{words.text("keyboard.does")}</th>
        </tr>
      </thead>
      <tbody>
        {shortcuts.map(([keys, name]) => (
          <tr key={name}>
            <td>
              <kbd>{keys}</kbd>
            </td>
            <td>{words.text(`keyboard.${name}`)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
