/** Tabs over one place: arrows move between them, as everywhere. */
import { type KeyboardEvent, type ReactNode, useId } from "react";
import styles from "../styles/tabs.module.css";

interface TabsProps<K extends string> {
  readonly label: string;
  readonly tabs: readonly { readonly key: K; readonly title: string }[];
  readonly chosen: K;
  readonly onChoose: (key: K) => void;
  readonly children: ReactNode;
}

export function Tabs<K extends string>({ label, tabs, chosen, onChoose, children }: TabsProps<K>) {
  const id = useId();
  const move = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const at = tabs.findIndex(({ key }) => key === chosen);
    const next = step && tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onChoose(next.key);
    document.getElementById(`${id}${next.key}`)?.focus();
  };
  return (
    <div className={styles.tabbed}>
      <div role="tablist" aria-label={label} className={styles.tabs} onKeyDown={move}>
        {tabs.map(({ key, title }) => (
          <button
            key={key}
            id={`${id}${key}`}
            type="button"
            role="tab"
            aria-selected={key === chosen}
            aria-controls={`${id}panel`}
            tabIndex={key === chosen ? 0 : -1}
            onClick={() => onChoose(key)}
          >
            {title}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}panel`} aria-labelledby={`${id}${chosen}`} className={styles.tabpanel}>
        {children}
      </div>
    </div>
  );
}
