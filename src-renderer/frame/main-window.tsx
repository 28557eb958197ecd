/** The window once it is open: rail, state line, the page, status bar. */
import { type MouseEvent, useCallback, useState } from "react";
import { useStore } from "zustand";
import { useWords } from "../i18n/language.tsx";
import { Glyph } from "../parts/glyph.tsx";
import type { PageName } from "../stores/route.ts";
import type { Stores } from "../stores/stores.ts";
import parts from "../styles/parts.module.css";
import { ChannelsPage } from "../views/channels/channels-page.tsx";
import { ConnectPage } from "../views/connect/connect-page.tsx";
import { ConversationsPage } from "../views/conversations/conversations-page.tsx";
import { HelpPage } from "../views/help/help-page.tsx";
import { InspectorPage } from "../views/inspector/inspector-page.tsx";
import { OverviewPage } from "../views/overview/overview-page.tsx";
import { SettingsPage } from "../views/settings/settings-page.tsx";
import { UsagePage } from "../views/usage/usage-page.tsx";
import styles from "./frame.module.css";
import { useFrame, useRoute } from "./frame.ts";
import { hasMod, takePageKey, useKeys } from "./keys.ts";
import { mainId } from "./page.tsx";
import { Palette } from "./palette.tsx";
import { Rail } from "./rail.tsx";
import { StateLine } from "./state-line.tsx";
import { StatusBar } from "./status-bar.tsx";

export function MainWindow() {
  const words = useWords();
  const frame = useFrame();
  const { stores } = frame;
  const { page } = useRoute();
  const [isSearching, setIsSearching] = useState(false);
  useKeys(
    useCallback(
      (event) => {
        if (!hasMod(event) || event.key.toLowerCase() !== "k") return takePageKey(frame, event);
        setIsSearching(true);
        return true;
      },
      [frame],
    ),
  );
  const Shown = shownPages[page];
  return (
    <div className={styles.window}>
      <a href={`#${mainId}`} className={styles.skip} onClick={skip}>
        {words.text("nav.skip")}
      </a>
      <Rail />
      <StateLine stores={stores} />
      <LostBanner stores={stores} />
      <Shown />
      <StatusBar status={stores.status} />
      {isSearching && <Palette onClose={() => setIsSearching(false)} />}
    </div>
  );
}

const shownPages: { readonly [P in PageName]: () => React.ReactNode } = {
  overview: OverviewPage,
  channels: ChannelsPage,
  conversations: ConversationsPage,
  inspector: InspectorPage,
  usage: UsagePage,
  connect: ConnectPage,
  settings: SettingsPage,
  help: HelpPage,
};

/** Without the address, which names pages. */
function skip(event: MouseEvent): void {
  event.preventDefault();
  document.querySelector<HTMLElement>(`#${mainId} h1`)?.focus();
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
