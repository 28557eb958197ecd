/** One thing that stands between Cursor and a model: what it is, how it stands, what can be done. */
import { type ReactNode, useId } from "react";
import { Glyph, type Tone } from "../../parts/glyph.tsx";
import styles from "./connect.module.css";

interface CardProps {
  readonly title: string;
  readonly about: string;
  readonly tone: Tone;
  /** How it stands, in words. */
  readonly state: string;
  readonly children?: ReactNode;
}

export function Card({ title, about, tone, state, children }: CardProps) {
  const id = useId();
  return (
    <section className={styles.card} aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <p role="status" data-tone={tone}>
          <Glyph tone={tone} />
          {state}
        </p>
      </header>
      <p className={styles.about}>{about}</p>
      {children}
    </section>
  );
}
