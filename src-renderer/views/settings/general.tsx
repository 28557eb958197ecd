/** How the window looks and speaks, and whether the app starts by itself. */
import { useStore } from "zustand";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Choice, Switch } from "../../parts/field.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { useAttempt } from "../use-attempt.ts";
import { useCall } from "../use-call.ts";
import styles from "./settings.module.css";

export function General() {
  const words = useWords();
  const { preferences } = useFrame();
  const { letterKeys, density } = useStore(preferences.store);
  return (
    <div className={styles.form}>
      <LanguageAndTheme />
      <Choice
        legend={words.text("settings.density")}
        value={density}
        options={(["comfortable", "compact"] as const).map((value) => ({
          value,
          label: words.text(`settings.density.${value}`),
        }))}
        onChange={(value) => preferences.set({ density: value })}
      />
      <Switch
        label={words.text("settings.letterKeys")}
        checked={letterKeys}
        onChange={(checked) => preferences.set({ letterKeys: checked })}
      />
      <AtLogin />
    </div>
  );
}

/** Also the first thing that a newcomer is asked. */
export function LanguageAndTheme() {
  const words = useWords();
  const { preferences } = useFrame();
  const { language, theme } = useStore(preferences.store);
  return (
    <>
      <Choice
        legend={words.text("settings.language")}
        value={language === "pseudo" ? "en" : language}
        options={
          [
            { value: "system", label: words.text("settings.system") },
            // Each in its own language: who cannot read the window must find it.
            { value: "en", label: "English" },
            { value: "zh-CN", label: "简体中文" },
          ] as const
        }
        onChange={(value) => preferences.set({ language: value })}
      />
      <Choice
        legend={words.text("settings.theme")}
        value={theme}
        options={(["system", "light", "dark"] as const).map((value) => ({
          value,
          label: words.text(value === "system" ? "settings.system" : `settings.theme.${value}`),
        }))}
        onChange={(value) => preferences.set({ theme: value })}
      />
    </>
  );
}

/** Of the desktop app alone. */
function AtLogin() {
  const words = useWords();
  const { client } = useFrame().stores;
  const { state, set } = useCall("desktop.get", null);
  const { error, run } = useAttempt();
  if (state.type !== "loaded" || state.value === null) return null;
  const { autostart, refused } = state.value;
  return (
    <div>
      <Switch
        label={words.text("settings.autostart")}
        checked={autostart}
        onChange={(on) => run(() => client.call("desktop.set", { autostart: on }).then(set))}
      />
      <p role="status">{refused && words.text(`settings.autostart.${refused}`)}</p>
      {error !== null && <Sentence text={error} />}
    </div>
  );
}
