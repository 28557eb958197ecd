/** Language and theme, as chosen or as the system has them; a change is seen at once. */
import { type ReactNode, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import { Language } from "../i18n/language.tsx";
import { createWords, pickLanguage } from "../i18n/words.ts";
import type { PreferencesStore } from "../stores/preferences.ts";

interface AppearanceProps {
  readonly preferences: PreferencesStore;
  readonly children: ReactNode;
}

export function Appearance({ preferences, children }: AppearanceProps) {
  const { language, theme, density } = useStore(preferences.store);
  const spoken = useSystemLanguages();
  const words = useMemo(
    () => createWords(language === "system" ? pickLanguage(spoken) : language),
    [language, spoken],
  );
  useEffect(() => {
    const { documentElement: root } = document;
    root.lang = words.language === "zh-CN" ? "zh-CN" : "en";
    root.dataset.theme = theme;
    root.dataset.density = density;
  }, [words, theme, density]);
  return <Language value={words}>{children}</Language>;
}

function useSystemLanguages(): readonly string[] {
  const [spoken, setSpoken] = useState(navigator.languages);
  useEffect(() => {
    const listener = () => setSpoken(navigator.languages);
    addEventListener("languagechange", listener);
    return () => removeEventListener("languagechange", listener);
  }, []);
  return spoken;
}
