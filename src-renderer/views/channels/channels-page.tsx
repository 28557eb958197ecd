/** The channels: the models that Cursor is offered, as a list with one of them open beside it. */
import { Plus } from "lucide-react";
import { useCallback, useState } from "react";
import { useStore } from "zustand";
import type { ChannelView } from "../../../src-main/contract/channels.ts";
import { useFrame, useRoute } from "../../frame/frame.ts";
import { useKeys } from "../../frame/keys.ts";
import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Menu } from "../../parts/menu.tsx";
import { Empty, Loaded } from "../../parts/panel.tsx";
import parts from "../../styles/parts.module.css";
import { ChannelEditor } from "./channel-editor.tsx";
import { ChannelList } from "./channel-list.tsx";
import styles from "./channels.module.css";
import { ExportDialog, ImportDialog } from "./transfer.tsx";

/** In the place of an id: one is being added. */
const isNew = "new";

export function ChannelsPage() {
  const words = useWords();
  const { stores, route } = useFrame();
  const { channels } = stores;
  const { id } = useRoute();
  const state = useStore(channels.store);
  const [transfer, setTransfer] = useState<"import" | "export" | null>(null);
  const open = useCallback((to: string | null) => route.go("channels", to), [route]);
  useKeys(
    useCallback(
      (event) => {
        if (event.key !== "n") return false;
        open(isNew);
        return true;
      },
      [open],
    ),
  );
  const add = (
    <button type="button" className={parts.primary} aria-keyshortcuts="n" onClick={() => open(isNew)}>
      <Plus size={16} aria-hidden="true" />
      {words.text("channels.add")}
    </button>
  );
  const actions = (
    <div className={styles.actions}>
      <Menu
        label={words.text("channels.transfer")}
        sign={words.text("channels.transfer")}
        items={[
          { label: words.text("channels.import"), onChoose: () => setTransfer("import") },
          { label: words.text("channels.export"), onChoose: () => setTransfer("export") },
        ]}
      />
      {id !== isNew && add}
    </div>
  );
  return (
    <Page title={words.text("nav.channels")} actions={actions}>
      <Loaded state={state} failure={words.text("channels.failed")} onRetry={() => void channels.load()}>
        {(list) => <ListAndEditor list={list} opened={id} open={open} />}
      </Loaded>
      {transfer === "import" && <ImportDialog onClose={() => setTransfer(null)} />}
      {transfer === "export" && <ExportDialog onClose={() => setTransfer(null)} />}
    </Page>
  );
}

interface ListAndEditorProps {
  readonly list: readonly ChannelView[];
  readonly opened: string | null;
  readonly open: (id: string | null) => void;
}

function ListAndEditor({ list, opened, open }: ListAndEditorProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const [removed, setRemoved] = useState<ChannelView | null>(null);
  const channel = list.find(({ id }) => id === opened) ?? null;
  const isOpen = channel !== null || opened === isNew;
  const remove = (id: string) => {
    if (id === opened) open(null);
    void client.call("channels.remove", { id });
  };
  return (
    <div className={styles.split} data-open={isOpen}>
      {list.length > 0 && <ChannelList list={list} opened={opened} onOpen={open} onRemove={setRemoved} />}
      {list.length === 0 && !isOpen && (
        <Empty title={words.text("channels.empty.title")} body={words.text("channels.empty.body")} />
      )}
      {isOpen && (
        <ChannelEditor
          key={channel?.id ?? isNew}
          channel={channel}
          onSaved={(saved) => open(saved?.id ?? null)}
          onClose={() => open(null)}
        />
      )}
      {removed && (
        <Confirm
          title={words.text("channels.removeName", { name: removed.name })}
          action={words.text("action.delete")}
          isDangerous
          onConfirm={() => remove(removed.id)}
          onClose={() => setRemoved(null)}
        >
          <p>{words.text("channels.removeMeans")}</p>
        </Confirm>
      )}
    </div>
  );
}
