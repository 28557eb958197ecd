/** What most people never change of a channel. */
import { useWords } from "../../i18n/language.tsx";
import { Field, Switch } from "../../parts/field.tsx";
import parts from "../../styles/parts.module.css";
import type { PartProps } from "./draft.ts";
import styles from "./form.module.css";

export function More({ draft, change }: PartProps) {
  const words = useWords();
  return (
    <details className={styles.more}>
      <summary>{words.text("form.more")}</summary>
      <Field label={words.text("form.contextWindow")} hint={words.text("form.contextWindowHint")}>
        {(ids) => (
          <input
            {...ids}
            type="number"
            min={1000}
            max={100_000_000}
            required
            className={parts.field}
            value={draft.contextWindow}
            onChange={({ target }) => change({ contextWindow: target.valueAsNumber })}
          />
        )}
      </Field>
      <Field label={words.text("form.maxOutput")} hint={words.text("form.maxOutputHint")}>
        {(ids) => (
          <input
            {...ids}
            type="number"
            min={1}
            max={100_000_000}
            className={parts.field}
            value={draft.maxOutputTokens ?? ""}
            onChange={({ target }) =>
              change({ maxOutputTokens: target.value === "" ? null : target.valueAsNumber })
            }
          />
        )}
      </Field>
      <div className={styles.switches}>
        {(["tools", "images", "thinking"] as const).map((ability) => (
          <Switch
            key={ability}
            label={words.text(`form.${ability}`)}
            checked={draft[ability]}
            onChange={(checked) => change({ [ability]: checked })}
          />
        ))}
      </div>
      <Field label={words.text("form.instructions")} hint={words.text("form.instructionsHint")}>
        {(ids) => (
          <textarea
            {...ids}
            rows={4}
            maxLength={20_000}
            className={parts.field}
            value={draft.instructions}
            onChange={({ target }) => change({ instructions: target.value })}
          />
        )}
      </Field>
    </details>
  );
}
