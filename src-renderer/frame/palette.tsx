/** Ctrl+K: go anywhere and do the usual things by a few letters. */
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { useStore } from "zustand";
import { useWords } from "../i18n/language.tsx";
import type { Words } from "../i18n/words.ts";
import { Foreign } from "../parts/foreign.tsx";
import { pages } from "../stores/route.ts";
import parts from "../styles/parts.module.css";
import { type Frame, useFrame } from "./frame.ts";
import styles from "./palette.module.css";

interface Entry {
  readonly key: string;
  readonly title: string;
  readonly kind: string;
  readonly run: () => void;
}

const shown = 12;

export function Palette({ onClose }: { readonly onClose: () => void }) {
  const words = useWords();
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const entries = useEntries();
  const found = useMemo(
    () =>
      entries.filter(({ title }) => title.toLowerCase().includes(text.trim().toLowerCase())).slice(0, shown),
    [entries, text],
  );
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  const run = (entry: Entry | undefined) => {
    onClose();
    entry?.run();
  };
  const press = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Enter") run(found[at]);
    else if (step) setAt((at + step + found.length) % Math.max(1, found.length));
    else return;
    event.preventDefault();
  };
  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label={words.text("palette.label")}
      onClose={onClose}
    >
      <input
        type="text"
        role="combobox"
        className={parts.field}
        aria-expanded="true"
        aria-controls={`${id}list`}
        aria-activedescendant={found.length > 0 ? `${id}${at}` : undefined}
        aria-label={words.text("palette.label")}
        placeholder={words.text("palette.label")}
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div role="listbox" id={`${id}list`} aria-label={words.text("palette.label")} className={styles.list}>
        {found.map((entry, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the field has the keys and the focus
          <div
            key={entry.key}
            role="option"
            id={`${id}${index}`}
            aria-selected={index === at}
            onClick={() => run(entry)}
          >
            <Foreign text={entry.title} />
            <small>{entry.kind}</small>
          </div>
        ))}
      </div>
      {found.length === 0 && <p className={parts.hint}>{words.text("palette.none")}</p>}
    </dialog>
  );
}

function useEntries(): readonly Entry[] {
  const words = useWords();
  const frame = useFrame();
  const channels = useStore(frame.stores.channels.store);
  const { hits } = useStore(frame.stores.conversations.store);
  return useMemo(
    () => [
      ...pageEntries(frame, words),
      ...(channels.type === "loaded" ? channels.value : []).map(({ id, name }) => ({
        key: `test ${id}`,
        title: words.text("channels.test.name", { name }),
        kind: words.text("nav.channels"),
        run: () => {
          frame.route.go("channels");
          void frame.stores.channels.test(id);
        },
      })),
      ...hits.map(({ conversation: { id, title } }) => ({
        key: id,
        title: title ?? words.text("conversations.untitled"),
        kind: words.text("nav.conversations"),
        run: () => frame.route.go("conversations", id),
      })),
    ],
    [frame, words, channels, hits],
  );
}

function pageEntries({ route, preferences }: Frame, words: Words): readonly Entry[] {
  const kind = words.text("palette.page");
  return [
    ...pages.map((page) => ({
      key: page,
      title: words.text(`nav.${page}`),
      kind,
      run: () => route.go(page),
    })),
    ...(["light", "dark", "system"] as const).map((theme) => ({
      key: `theme ${theme}`,
      title: `${words.text("settings.theme")}: ${words.text(theme === "system" ? "settings.system" : `settings.theme.${theme}`)}`,
      kind: words.text("palette.action"),
      run: () => preferences.set({ theme }),
    })),
  ];
}
