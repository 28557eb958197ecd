/** The key of a provider: seen only while it is typed, and never shown again. */
import { useState } from "react";
import type { ChannelView } from "../../../src-main/contract/channels.ts";
import { useWords } from "../../i18n/language.tsx";
import { Switch, TextField } from "../../parts/field.tsx";
import { addressOf, LinkDialog } from "../../parts/text/link-dialog.tsx";
import parts from "../../styles/parts.module.css";
import type { PartProps } from "./draft.ts";
import styles from "./editor.module.css";

interface KeyFieldProps extends PartProps {
  readonly channel: ChannelView | null;
  readonly error: string | null;
  /** Where a key is made. */
  readonly keyUrl: string | null;
}

const hints = {
  none: "form.keyHint",
  set: "form.keyKept",
  missing: "channels.key.missing.remedy",
  unreadable: "channels.key.unreadable.remedy",
} as const;

export function KeyField({ draft, change, channel, error, keyUrl }: KeyFieldProps) {
  const words = useWords();
  const { key, wantsKey } = draft;
  const [isSeen, setIsSeen] = useState(false);
  const [url, setUrl] = useState<URL | null>(null);
  const isWrapped = key !== key.trim() || /^(["']).*\1$/.test(key.trim());
  return (
    <>
      {wantsKey && (
        <TextField
          label={words.text("form.key")}
          hint={words.text(isWrapped ? "form.keyCleaned" : hints[channel?.key ?? "none"])}
          error={error}
          type={isSeen ? "text" : "password"}
          autoComplete="off"
          spellCheck={false}
          value={key}
          onChange={(typed) => change({ key: typed })}
          beside={
            key !== "" && (
              <button
                type="button"
                className={parts.button}
                aria-pressed={isSeen}
                onClick={() => setIsSeen(!isSeen)}
              >
                {words.text("form.seeKey")}
              </button>
            )
          }
        />
      )}
      <span className={styles.switches}>
        {keyUrl !== null && wantsKey && (
          <button type="button" className={parts.quiet} onClick={() => setUrl(addressOf(keyUrl))}>
            {words.text("form.getKey")}
          </button>
        )}
        <Switch
          label={words.text("form.noKey")}
          checked={!wantsKey}
          onChange={(isNone) => change({ wantsKey: !isNone, ...(isNone ? { key: "" } : {}) })}
        />
      </span>
      {url && <LinkDialog url={url} onClose={() => setUrl(null)} />}
    </>
  );
}
