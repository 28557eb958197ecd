/** A labelled place to enter something, with what it is for and what is wrong with it. */
import { type ComponentProps, type ReactNode, useId } from "react";
import styles from "../styles/field.module.css";
import parts from "../styles/parts.module.css";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  /** Gets the ids that tie it to its label and its hint. */
  readonly children: (ids: { readonly id: string; readonly "aria-describedby": string }) => ReactNode;
}

export function Field({ label, hint, error = null, children }: FieldProps) {
  const id = useId();
  return (
    <div className={styles.field}>
      <label htmlFor={id}>{label}</label>
      {children({ id, "aria-describedby": `${id}hint` })}
      <p id={`${id}hint`} className={error ? styles.error : styles.hint}>
        {error ?? hint}
      </p>
    </div>
  );
}

interface TextFieldProps extends Omit<ComponentProps<"input">, "value" | "onChange" | "className" | "id"> {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | null;
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Beside the field, where it belongs to it. */
  readonly beside?: ReactNode;
}

export function TextField({ label, hint, error = null, value, onChange, beside, ...own }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(ids) => (
        <span className={styles.beside}>
          <input
            {...own}
            {...ids}
            className={parts.field}
            aria-invalid={error !== null || undefined}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
          {beside}
        </span>
      )}
    </Field>
  );
}

interface NumberFieldProps<N> extends Omit<TextFieldProps, "value" | "onChange" | "type"> {
  readonly value: number | N;
  /** Gets `none` for an empty field. */
  readonly onChange: (value: number | N) => void;
  readonly none: N;
}

/** `none` is what an empty field means. */
export function NumberField<N>({ value, onChange, none, ...own }: NumberFieldProps<N>) {
  return (
    <TextField
      step="any"
      {...own}
      type="number"
      value={typeof value === "number" && Number.isFinite(value) ? String(value) : ""}
      onChange={(text) => onChange(text === "" ? none : Number(text))}
    />
  );
}

interface SelectFieldProps<V extends string> extends Pick<ChoiceProps<V>, "value" | "options" | "onChange"> {
  readonly label: string;
  readonly hint?: ReactNode;
}

export function SelectField<V extends string>({
  label,
  hint,
  value,
  options,
  onChange,
}: SelectFieldProps<V>) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <select
          {...ids}
          className={parts.field}
          value={value}
          onChange={({ target }) => {
            const chosen = options.find((option) => option.value === target.value);
            if (chosen) onChange(chosen.value);
          }}
        >
          {options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

interface ChoiceProps<V extends string> {
  readonly legend: string;
  readonly value: V;
  readonly options: readonly { readonly value: V; readonly label: string }[];
  readonly onChange: (value: V) => void;
}

/** One of a few, all of them seen. */
export function Choice<V extends string>({ legend, value, options, onChange }: ChoiceProps<V>) {
  const name = useId();
  return (
    <fieldset className={styles.choice}>
      <legend>{legend}</legend>
      {options.map((option) => (
        <label key={option.value}>
          <input
            type="radio"
            name={name}
            checked={option.value === value}
            onChange={() => onChange(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  );
}

interface SwitchProps {
  readonly label: string;
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}

export function Switch({ label, checked, onChange }: SwitchProps) {
  return (
    <label className={styles.switch}>
      <input
        type="checkbox"
        role="switch"
        aria-checked={checked}
        checked={checked}
        onChange={({ target }) => onChange(target.checked)}
      />
      {label}
    </label>
  );
}
