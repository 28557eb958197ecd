/** What narrows a page down: "/" leads into it, Esc empties it, then leaves. */
import { type KeyboardEvent, type ReactNode, useCallback, useRef } from "react";
import { useKeys } from "../frame/keys.ts";
import styles from "../styles/parts.module.css";

interface SearchFieldProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** The id of a datalist, and the list. */
  readonly list?: string;
  readonly children?: ReactNode;
}

export function SearchField({ label, value, onChange, list, children }: SearchFieldProps) {
  const field = useRef<HTMLInputElement>(null);
  useKeys(
    useCallback((event) => {
      if (event.key !== "/") return false;
      field.current?.focus();
      return true;
    }, []),
  );
  const press = (event: KeyboardEvent) => {
    if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
    event.stopPropagation();
    if (value === "") field.current?.blur();
    else onChange("");
  };
  return (
    <search className={styles.search}>
      <input
        ref={field}
        type="search"
        className={styles.field}
        placeholder={label}
        aria-label={label}
        aria-keyshortcuts="/"
        list={list}
        value={value}
        onKeyDown={press}
        onChange={({ target }) => onChange(target.value)}
      />
      {children}
    </search>
  );
}
