/** A button with a few more things to do behind it: arrows move, Esc closes, the focus goes back. */
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import styles from "../styles/menu.module.css";
import parts from "../styles/parts.module.css";

export interface MenuItem {
  readonly label: string;
  readonly onChoose: () => void;
  readonly keys?: string;
  readonly isDangerous?: boolean;
}

interface MenuProps {
  /** Read aloud, and what the button says where it shows no sign. */
  readonly label: string;
  readonly sign: ReactNode;
  readonly items: readonly MenuItem[];
  /** A sign alone, without a border. */
  readonly isIcon?: boolean;
}

export function Menu({ label, sign, items, isIcon = false }: MenuProps) {
  const [isOpen, setIsOpen] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const id = useId();
  useEffect(() => {
    if (!isOpen) return;
    place.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
    const close = ({ target }: Event) => {
      if (!place.current?.contains(target as Node)) setIsOpen(false);
    };
    addEventListener("pointerdown", close);
    return () => removeEventListener("pointerdown", close);
  }, [isOpen]);
  const end = () => {
    setIsOpen(false);
    place.current?.querySelector<HTMLElement>("[aria-haspopup]")?.focus();
  };
  const move = (event: KeyboardEvent) => {
    const entries = [...(place.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const at = entries.indexOf(document.activeElement as HTMLElement);
    const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[event.key];
    if (event.key === "Escape") end();
    else if (event.key === "Tab") setIsOpen(false);
    else if (to !== undefined) entries.at(to % entries.length)?.focus();
    if (event.key === "Escape" || to !== undefined) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  return (
    <div ref={place} className={styles.place}>
      <button
        type="button"
        className={isIcon ? parts.icon : parts.button}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-controls={isOpen ? id : undefined}
        aria-label={label}
        onClick={() => setIsOpen(!isOpen)}
      >
        {sign}
      </button>
      {isOpen && (
        <div id={id} role="menu" tabIndex={-1} aria-label={label} className={styles.menu} onKeyDown={move}>
          {items.map((item) => (
            <button
              key={item.label}
              type="button"
              role="menuitem"
              tabIndex={-1}
              data-dangerous={item.isDangerous}
              onClick={() => {
                end();
                item.onChoose();
              }}
            >
              {item.label}
              {item.keys && <kbd>{item.keys}</kbd>}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
