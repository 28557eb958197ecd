/** The frame of the window: state line, page, status bar. */
import { useStore } from "zustand";
import { useWords } from "../i18n/language.tsx";
import { Glyph } from "../parts/glyph.tsx";
import type { Stores } from "../stores/stores.ts";
import parts from "../styles/parts.module.css";
import styles from "../styles/window.module.css";
import { OverviewPage } from "./overview.tsx";
import { StateLine } from "./state-line.tsx";
import { StatusBar } from "./status-bar.tsx";

export function MainWindow({ stores }: { readonly stores: Stores }) {
  return (
    <div className={styles.window}>
      <StateLine stores={stores} />
      <LostBanner stores={stores} />
      <OverviewPage stores={stores} />
      <StatusBar status={stores.status} />
    </div>
  );
}

function LostBanner({ stores }: { readonly stores: Stores }) {
  const words = useWords();
  const link = useStore(stores.link);
  if (link.type !== "lost") return null;
  return (
    <div role="alert" className={styles.banner}>
      <Glyph tone="err" />
      <div>
        <strong>{words.text("link.lost.title")}</strong>
        <p>{words.text("link.lost.body", { time: words.time(link.sinceMs, Date.now()) })}</p>
      </div>
      <button type="button" className={parts.button} onClick={stores.retry}>
        {words.text("action.retryNow")}
      </button>
    </div>
  );
}
