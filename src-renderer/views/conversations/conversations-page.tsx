/** Conversations: the list, and the one that is open. */
import { useEffect } from "react";
import { useStore } from "zustand";
import { useFrame, useRoute } from "../../frame/frame.ts";
import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import { Failure, Skeleton } from "../../parts/panel.tsx";
import { ConversationList } from "./conversation-list.tsx";
import styles from "./list.module.css";
import { Reader } from "./reader.tsx";
import { SearchBox } from "./search-box.tsx";

export function ConversationsPage() {
  const words = useWords();
  const { id } = useRoute();
  return (
    <Page title={words.text("nav.conversations")} isTitleUnseen isFilled>
      <div className={styles.split} data-opened={id !== null}>
        <div className={styles.side}>
          <SearchBox />
          <ConversationList opened={id} />
        </div>
        <Opened id={id} />
      </div>
    </Page>
  );
}

function Opened({ id }: { readonly id: string | null }) {
  const words = useWords();
  const { reading } = useFrame().stores;
  useEffect(() => reading.open(id), [reading, id]);
  const opened = useStore(reading.store);
  if (id === null) return <p className={styles.nothing}>{words.text("conversations.pick")}</p>;
  if (opened.id !== id || opened.state.type === "loading") return <Skeleton />;
  if (opened.state.type === "failed")
    return (
      <Failure
        title={words.text("conversation.unreadable")}
        message={opened.state.message}
        onRetry={() => void reading.load()}
      />
    );
  return <Reader key={id} reading={opened.state.value} />;
}
