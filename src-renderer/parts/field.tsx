/** A labelled place to enter something, with what it is for and what is wrong with it. */
import { type ReactNode, useId } from "react";
import styles from "../styles/field.module.css";

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
