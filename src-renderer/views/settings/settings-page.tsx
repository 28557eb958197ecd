/** Settings: this window, the ways in, the web search, what is recorded, and about. */
import { useFrame, useRoute } from "../../frame/frame.ts";
import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { About } from "./about.tsx";
import { Agent } from "./agent.tsx";
import { Data } from "./data.tsx";
import { General } from "./general.tsx";
import { Keyboard } from "./keyboard.tsx";
import { LocalKeys } from "./local-keys.tsx";
import { Network } from "./network.tsx";
import { Recordings } from "./recordings.tsx";
import { WebSearch } from "./web-search.tsx";

const tabs = [
  ...(["general", "agent", "network", "access", "search"] as const),
  ...(["recording", "data", "keyboard", "about"] as const),
] as const;
type TabName = (typeof tabs)[number];

const shown: { readonly [T in TabName]: () => React.ReactNode } = {
  general: General,
  agent: Agent,
  network: Network,
  access: LocalKeys,
  search: WebSearch,
  recording: Recordings,
  data: Data,
  keyboard: Keyboard,
  about: About,
};

export function SettingsPage() {
  const words = useWords();
  const { route } = useFrame();
  const { id } = useRoute();
  const chosen = tabs.find((tab) => tab === id) ?? "general";
  const Shown = shown[chosen];
  return (
    <Page title={words.text("nav.settings")}>
      <Tabs
        label={words.text("nav.settings")}
        tabs={tabs.map((key) => ({ key, title: words.text(`settings.${key}`) }))}
        chosen={chosen}
        onChoose={(tab) => route.go("settings", tab)}
      >
        <Shown />
      </Tabs>
    </Page>
  );
}
