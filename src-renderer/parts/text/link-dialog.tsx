/** Before a link in somebody's text is followed: where it really leads. Only http and https addresses get here. */
import { useWords } from "../../i18n/language.tsx";
import styles from "../../styles/parts.module.css";
import { CopyButton } from "../copy-button.tsx";
import { Dialog } from "../dialog.tsx";
import { Foreign } from "../foreign.tsx";

interface LinkDialogProps {
  readonly url: URL;
  readonly onClose: () => void;
}

export function LinkDialog({ url, onClose }: LinkDialogProps) {
  const words = useWords();
  const open = () => {
    window.open(url, "_blank", "noopener,noreferrer");
    onClose();
  };
  return (
    <Dialog
      title={words.text("link.title")}
      onClose={onClose}
      actions={
        <>
          <button type="button" className={styles.button} onClick={onClose}>
            {words.text("action.cancel")}
          </button>
          <CopyButton text={url.href} />
          <button type="button" className={styles.primary} onClick={open}>
            {words.text("link.open")}
          </button>
        </>
      }
    >
      <p>{words.text("link.host")}</p>
      {/* The host as the browser resolves it: letters of other scripts that look like ours are seen as xn--... */}
      <strong>
        <Foreign text={url.host} />
      </strong>
      <code className={styles.address}>
        <Foreign text={url.href} />
      </code>
    </Dialog>
  );
}

/** null: not an address that is ever opened. */
export function addressOf(href: string): URL | null {
  const url = URL.parse(href);
  return url && (url.protocol === "http:" || url.protocol === "https:") ? url : null;
}
