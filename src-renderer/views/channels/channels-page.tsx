/** The channels: the models that Cursor is offered. */
import { useStore } from "zustand";
import { useFrame } from "../../frame/frame.ts";
import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { commands } from "../../parts/commands.ts";
import { Empty, Loaded } from "../../parts/panel.tsx";
import { SourceHint } from "../../parts/source-hint.tsx";
import parts from "../../styles/parts.module.css";
import { ChannelList } from "./channel-list.tsx";

export function ChannelsPage() {
  const words = useWords();
  const { channels } = useFrame().stores;
  const state = useStore(channels.store);
  return (
    <Page title={words.text("nav.channels")}>
      <Loaded state={state} failure={words.text("channels.failed")} onRetry={() => void channels.load()}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={words.text("channels.empty.title")} body={words.text("channels.empty.body")}>
              <CommandLine command={commands.addChannel} />
              <SourceHint />
            </Empty>
          ) : (
            <>
              <ChannelList list={list} channels={channels} />
              <p className={parts.hint}>{words.text("channels.test.cost")}</p>
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
