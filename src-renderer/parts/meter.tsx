/** How full something is: a bar with the figures beside it. */
import styles from "../styles/parts.module.css";

interface MeterProps {
  /** Of the whole; more than 1 is full. */
  readonly share: number;
  readonly text: string;
}

export function Meter({ share, text }: MeterProps) {
  const tone = share > 0.9 ? "err" : share > 0.75 ? "warn" : "ok";
  return (
    <span className={styles.meter} data-tone={tone}>
      <svg viewBox="0 0 80 6" preserveAspectRatio="none" aria-hidden="true">
        <rect width="80" height="6" rx="3" />
        <rect width={Math.min(1, share) * 80} height="6" rx="3" />
      </svg>
      {text}
    </span>
  );
}
