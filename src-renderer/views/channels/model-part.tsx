/** Which model a channel asks, how much it takes, and what it can do. */
import type { ChannelFields, ChannelView } from "../../../src-main/contract/channels.ts";
import { useWords } from "../../i18n/language.tsx";
import { Field, NumberField, SelectField, Switch, TextField } from "../../parts/field.tsx";
import parts from "../../styles/parts.module.css";
import type { PartProps } from "./draft.ts";
import styles from "./editor.module.css";
import { ModelPicker } from "./model-picker.tsx";

const windows = [32_000, 128_000, 200_000, 1_000_000] as const;
const abilities = ["tools", "images", "thinking", "promptCache", "parallelTools"] as const;
const efforts = ["default", "off", "low", "medium", "high", "budget"] as const;
const usualBudget = 8000;

interface ModelPartProps extends PartProps {
  readonly channel: ChannelView | null;
  /** Several, for as many channels. */
  readonly models: readonly string[];
  readonly onModels: (models: readonly string[]) => void;
}

export function ModelPart({ channel, models, onModels, ...part }: ModelPartProps) {
  const words = useWords();
  const { draft, problems, set } = part;
  const { fields } = draft;
  return (
    <>
      <TextField
        label={words.text("form.model")}
        hint={words.text("form.modelHint")}
        error={problems.model ? words.text(problems.model) : null}
        required
        maxLength={200}
        spellCheck={false}
        value={fields.model}
        onChange={(model) => {
          onModels([]);
          set({ model });
        }}
      />
      <ModelPicker {...part} channel={channel} models={models} onModels={onModels} />
      <NumberField
        label={words.text("form.contextWindow")}
        hint={words.text("form.contextWindowHint")}
        error={problems.contextWindow ? words.text(problems.contextWindow) : null}
        min={1000}
        max={100_000_000}
        none={Number.NaN}
        value={fields.contextWindow}
        onChange={(contextWindow) => set({ contextWindow })}
        beside={windows.map((tokens) => (
          <button
            key={tokens}
            type="button"
            className={parts.button}
            aria-pressed={fields.contextWindow === tokens}
            onClick={() => set({ contextWindow: tokens })}
          >
            {words.compact(tokens)}
          </button>
        ))}
      />
      <fieldset className={styles.group}>
        <legend>{words.text("form.abilities")}</legend>
        <div className={styles.switches}>
          {abilities.map((ability) => (
            <Switch
              key={ability}
              label={words.text(`form.${ability}`)}
              checked={fields[ability]}
              onChange={(checked) => set({ [ability]: checked })}
            />
          ))}
        </div>
        {!fields.tools && <p className={styles.warning}>{words.text("form.toolsOff")}</p>}
      </fieldset>
      {fields.thinking && <Effort fields={fields} set={set} />}
    </>
  );
}

function Effort({ fields: { effort }, set }: Pick<PartProps, "set"> & { readonly fields: ChannelFields }) {
  const words = useWords();
  return (
    <div className={styles.pair}>
      <SelectField
        label={words.text("form.effort")}
        value={typeof effort === "number" ? "budget" : effort}
        options={efforts.map((value) => ({ value, label: words.text(`form.effort.${value}`) }))}
        onChange={(value) => set({ effort: value === "budget" ? usualBudget : value })}
      />
      {typeof effort === "number" && (
        <NumberField
          label={words.text("form.budget")}
          min={1}
          none={usualBudget}
          value={effort}
          onChange={(tokens) => set({ effort: tokens })}
        />
      )}
    </div>
  );
}

/** The user's own words to this model. */
export function Instructions({ draft, set }: PartProps) {
  const words = useWords();
  return (
    <Field label={words.text("form.instructions")} hint={words.text("form.instructionsHint")}>
      {(ids) => (
        <textarea
          {...ids}
          rows={3}
          maxLength={20_000}
          className={parts.field}
          value={draft.fields.instructions}
          onChange={({ target }) => set({ instructions: target.value })}
        />
      )}
    </Field>
  );
}
