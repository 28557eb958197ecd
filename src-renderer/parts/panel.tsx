/** A titled part of a page, and what it shows while its data is loading, missing or failed. */
import { type ReactNode, useId } from "react";
import { useWords } from "../i18n/language.tsx";
import type { Shadowed } from "../stores/shadow.ts";
import styles from "../styles/panel.module.css";
import parts from "../styles/parts.module.css";
import { Foreign } from "./foreign.tsx";
import { Glyph } from "./glyph.tsx";

interface PanelProps {
  readonly title: string;
  readonly hint?: string;
  readonly children: ReactNode;
}

export function Panel({ title, hint, children }: PanelProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} className={styles.panel}>
      <div className={styles.heading}>
        <h2 id={id}>{title}</h2>
        {hint && <p>{hint}</p>}
      </div>
      {children}
    </section>
  );
}

interface LoadedProps<T> {
  readonly state: Shadowed<T>;
  /** The title of the failure; what the program said stands below it. */
  readonly failure: string;
  readonly onRetry: () => void;
  readonly children: (value: T) => ReactNode;
}

export function Loaded<T>({ state, failure, onRetry, children }: LoadedProps<T>) {
  switch (state.type) {
    case "loading":
      return <Skeleton />;
    case "failed":
      return <Failure title={failure} message={state.message} onRetry={onRetry} />;
    case "loaded":
      return children(state.value);
  }
}

/** Grey rows after 150 ms, words after 3 s: what is there at once should not flicker. */
export function Skeleton() {
  const words = useWords();
  return (
    <div className={styles.skeleton} aria-busy="true">
      <span />
      <span />
      <span />
      <p>{words.text("loading.slow")}</p>
    </div>
  );
}

interface FailureProps {
  readonly title: string;
  readonly message: string;
  readonly onRetry: () => void;
}

export function Failure({ title, message, onRetry }: FailureProps) {
  const words = useWords();
  return (
    <div role="alert" className={styles.failure}>
      <Glyph tone="err" />
      <div>
        <strong>{title}</strong>
        <p>
          <Foreign text={message} />
        </p>
      </div>
      <button type="button" className={parts.button} onClick={onRetry}>
        {words.text("action.retry")}
      </button>
    </div>
  );
}

interface EmptyProps {
  readonly title: string;
  readonly body: string;
  readonly children?: ReactNode;
}

/** Nothing there yet: why, and the one thing to do. */
export function Empty({ title, body, children }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <strong>{title}</strong>
      <p>{body}</p>
      {children}
    </div>
  );
}
