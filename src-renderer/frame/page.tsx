/** A page: its one heading takes the focus when people come from another page, so that readers hear where they are. */
import { type ReactNode, useEffect, useRef } from "react";
import parts from "../styles/parts.module.css";
import styles from "./frame.module.css";

interface PageProps {
  readonly title: string;
  /** Not drawn, for pages whose content says what they are. */
  readonly isTitleUnseen?: boolean;
  /** Beside the title: what can be done on the page. */
  readonly actions?: ReactNode;
  /** Fills the height; its content scrolls in parts. */
  readonly isFilled?: boolean;
  readonly children: ReactNode;
}

export const mainId = "main";

let isFirst = true;

export function Page({ title, isTitleUnseen = false, actions, isFilled = false, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} – Ownkey`;
  }, [title]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus();
    isFirst = false;
  }, []);
  return (
    <main id={mainId} className={styles.page} data-filled={isFilled}>
      <div className={isTitleUnseen ? parts.unseen : styles.title}>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        {actions}
      </div>
      {children}
    </main>
  );
}
