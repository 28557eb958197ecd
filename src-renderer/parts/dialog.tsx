/** A question in front of the window: the element of the browser, which keeps the focus inside and closes on Esc. */
import { type ReactNode, useEffect, useId, useRef } from "react";
import styles from "../styles/dialog.module.css";

interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  readonly children: ReactNode;
  /** The last one is what Enter means. */
  readonly actions: ReactNode;
}

/** Open as long as it is drawn. */
export function Dialog({ title, onClose, children, actions }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => {
    const element = dialog.current;
    element?.showModal();
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} className={styles.dialog} aria-labelledby={id} onClose={onClose}>
      <form onSubmit={(event) => event.preventDefault()}>
        <h2 id={id}>{title}</h2>
        <div className={styles.body}>{children}</div>
        <div className={styles.actions}>{actions}</div>
      </form>
    </dialog>
  );
}
