/** Small signs for states. Their shapes differ, not only their colours; the word always stands beside them. */
import styles from "../styles/parts.module.css";

export type Tone = "ok" | "busy" | "warn" | "err" | "off";

const shapes: Readonly<Record<Tone, string>> = {
  ok: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Z",
  busy: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Zm0 2.2a3.8 3.8 0 0 0 0 7.6Z",
  warn: "M8 1.8 15 14H1Zm-.8 4.4v4h1.6v-4Zm0 5v1.5h1.6v-1.5Z",
  err: "M5.2 1.8h5.6l3.4 3.4v5.6l-3.4 3.4H5.2l-3.4-3.4V5.2Zm.6 3L4.8 5.8 7 8l-2.2 2.2 1 1L8 9l2.2 2.2 1-1L9 8l2.2-2.2-1-1L8 7Z",
  off: "M8 2a6 6 0 1 1 0 12A6 6 0 0 1 8 2Zm0 2a4 4 0 1 0 0 8 4 4 0 0 0 0-8Z",
};

export function Glyph({ tone }: { readonly tone: Tone }) {
  return (
    <svg className={styles.glyph} data-tone={tone} viewBox="0 0 16 16" aria-hidden="true">
      <path fillRule="evenodd" d={shapes[tone]} />
    </svg>
  );
}
