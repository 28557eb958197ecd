/** The first page: the channels, and what was asked of them last. */
import { useStore } from "zustand";
import { useFrame } from "../frame/frame.ts";
import { Page } from "../frame/page.tsx";
import { useWords } from "../i18n/language.tsx";
import { CommandLine } from "../parts/command-line.tsx";
import { commands } from "../parts/commands.ts";
import { Empty, Loaded, Panel } from "../parts/panel.tsx";
import { SourceHint } from "../parts/source-hint.tsx";
import type { Stores } from "../stores/stores.ts";
import { CallTable } from "./call-table.tsx";
import { ChannelList } from "./channel-list.tsx";
import { StatusFailure } from "./status-failure.tsx";

/** The others are in the Inspector. */
const shownCalls = 50;

export function OverviewPage() {
  const words = useWords();
  const { stores } = useFrame();
  return (
    <Page title={words.text("nav.overview")} isTitleUnseen>
      <StatusFailure status={stores.status} />
      <ChannelsPanel channels={stores.channels} />
      <CallsPanel calls={stores.calls} />
    </Page>
  );
}

function ChannelsPanel({ channels }: Pick<Stores, "channels">) {
  const words = useWords();
  const state = useStore(channels.store);
  const isSome = state.type === "loaded" && state.value.length > 0;
  return (
    <Panel
      title={words.text("channels.title")}
      {...(isSome ? { hint: words.text("channels.test.cost") } : {})}
    >
      <Loaded state={state} failure={words.text("channels.failed")} onRetry={() => void channels.load()}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={words.text("channels.empty.title")} body={words.text("channels.empty.body")}>
              <CommandLine command={commands.addChannel} />
              <SourceHint />
            </Empty>
          ) : (
            <ChannelList list={list} channels={channels} />
          )
        }
      </Loaded>
    </Panel>
  );
}

function CallsPanel({ calls }: Pick<Stores, "calls">) {
  const words = useWords();
  const state = useStore(calls.store);
  return (
    <Panel title={words.text("calls.title")}>
      <Loaded state={state} failure={words.text("calls.failed")} onRetry={() => void calls.load()}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={words.text("calls.empty.title")} body={words.text("calls.empty.body")} />
          ) : (
            <CallTable list={list.slice(0, shownCalls)} />
          )
        }
      </Loaded>
    </Panel>
  );
}
