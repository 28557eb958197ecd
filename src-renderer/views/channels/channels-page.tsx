/** The channels: the models that Cursor is offered. */
import { Plus } from "lucide-react";
import { useCallback, useState } from "react";
import { useStore } from "zustand";
import type { ChannelView } from "../../../src-main/contract.ts";
import { useFrame } from "../../frame/frame.ts";
import { useKeys } from "../../frame/keys.ts";
import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Empty, Loaded } from "../../parts/panel.tsx";
import parts from "../../styles/parts.module.css";
import { ChannelForm } from "./channel-form.tsx";
import { ChannelList } from "./channel-list.tsx";
import styles from "./form.module.css";

/** new: one is being added. */
type Edited = ChannelView | "new" | null;

export function ChannelsPage() {
  const words = useWords();
  const { channels } = useFrame().stores;
  const state = useStore(channels.store);
  const [edited, setEdited] = useState<Edited>(null);
  const [removed, setRemoved] = useState<ChannelView | null>(null);
  useKeys(
    useCallback((event) => {
      if (event.key !== "n") return false;
      setEdited("new");
      return true;
    }, []),
  );
  const add = (
    <button type="button" className={parts.primary} aria-keyshortcuts="n" onClick={() => setEdited("new")}>
      <Plus size={16} aria-hidden="true" />
      {words.text("channels.add")}
    </button>
  );
  return (
    <Page title={words.text("nav.channels")} actions={edited === null && add}>
      {edited !== null && <Editor edited={edited} onEnd={() => setEdited(null)} />}
      <Loaded state={state} failure={words.text("channels.failed")} onRetry={() => void channels.load()}>
        {(list) =>
          list.length === 0 ? (
            edited === null && (
              <Empty title={words.text("channels.empty.title")} body={words.text("channels.empty.body")} />
            )
          ) : (
            <>
              <ChannelList list={list} channels={channels} onEdit={setEdited} onRemove={setRemoved} />
              <p className={parts.hint}>{words.text("channels.test.cost")}</p>
            </>
          )
        }
      </Loaded>
      {removed && <RemoveDialog channel={removed} onEnd={() => setRemoved(null)} />}
    </Page>
  );
}

interface EditorProps {
  readonly edited: ChannelView | "new";
  readonly onEnd: () => void;
}

function Editor({ edited, onEnd }: EditorProps) {
  const words = useWords();
  const channel = edited === "new" ? null : edited;
  const title = channel
    ? words.text("channels.editName", { name: channel.name })
    : words.text("channels.add");
  return (
    <section className={styles.panel} aria-label={title}>
      <ChannelForm key={channel?.id ?? "new"} channel={channel} onSaved={onEnd} onCancel={onEnd} />
    </section>
  );
}

interface RemoveDialogProps {
  readonly channel: ChannelView;
  readonly onEnd: () => void;
}

function RemoveDialog({ channel, onEnd }: RemoveDialogProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const remove = () => {
    onEnd();
    void client.call("channels.remove", { id: channel.id });
  };
  return (
    <Dialog
      title={words.text("channels.removeName", { name: channel.name })}
      onClose={onEnd}
      actions={
        <>
          <button type="button" className={parts.button} onClick={onEnd}>
            {words.text("action.cancel")}
          </button>
          <button type="button" className={parts.primary} onClick={remove}>
            {words.text("action.delete")}
          </button>
        </>
      }
    >
      <p>{words.text("channels.removeMeans")}</p>
    </Dialog>
  );
}
