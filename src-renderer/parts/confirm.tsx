/** Asked before something that cannot be taken back. */
import type { ReactNode } from "react";
import { useWords } from "../i18n/language.tsx";
import parts from "../styles/parts.module.css";
import { Dialog } from "./dialog.tsx";

interface ConfirmProps {
  readonly title: string;
  /** What the button that does it says. */
  readonly action: string;
  readonly isDangerous?: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
  readonly children: ReactNode;
}

export function Confirm({ title, action, isDangerous = false, onConfirm, onClose, children }: ConfirmProps) {
  const words = useWords();
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <button type="button" className={parts.button} onClick={onClose}>
            {words.text("action.cancel")}
          </button>
          <button
            type="button"
            className={isDangerous ? parts.danger : parts.primary}
            onClick={() => {
              onClose();
              onConfirm();
            }}
          >
            {action}
          </button>
        </>
      }
    >
      {children}
    </Dialog>
  );
}
