/** The window's shortcuts: pages by number, and what a page does with a key. */
import { useEffect } from "react";
import { useStore } from "zustand";
import { pages } from "../stores/route.ts";
import { type Frame, useFrame } from "./frame.ts";

/** Control, or the Command key of a Mac. */
export const hasMod = ({ ctrlKey, metaKey }: KeyboardEvent): boolean => ctrlKey || metaKey;

/** Whether keys belong to a text field, or to an input method that is composing. */
function isTyping({ target, isComposing }: KeyboardEvent): boolean {
  if (isComposing) return true;
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

/** `handle` returns true for a key that it took. Single letters are passed only when the user wants them. */
export function useKeys(handle: (event: KeyboardEvent) => boolean): void {
  const letterKeys = useStore(useFrame().preferences.store, (preferences) => preferences.letterKeys);
  useEffect(() => {
    const listener = (event: KeyboardEvent) => {
      const isLetter = event.key.length === 1 && !hasMod(event) && !event.altKey;
      if (isLetter && (!letterKeys || isTyping(event))) return;
      if (!event.defaultPrevented && handle(event)) event.preventDefault();
    };
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, [handle, letterKeys]);
}

export function takePageKey({ route }: Frame, event: KeyboardEvent): boolean {
  if (event.key === "F1" || event.key === "?") {
    route.go("settings", "keyboard");
    return true;
  }
  const page = event.key === "," ? "settings" : pages[Number(event.key) - 1];
  if (!hasMod(event) || event.altKey || event.shiftKey || !page) return false;
  route.go(page);
  return true;
}
