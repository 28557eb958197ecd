/** What can be done with a whole conversation: taken along, looked at from below, deleted. */
import { Ellipsis } from "lucide-react";
import { useState } from "react";
import type { ConversationView } from "../../../src-main/contract/conversations.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Menu } from "../../parts/menu.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { Sentence } from "../../parts/sentence.tsx";
import { useAttempt } from "../use-attempt.ts";
import { isRunning } from "./status.ts";

interface ConversationMenuProps {
  readonly conversation: ConversationView;
  /** Of its newest call. */
  readonly callId: string | null;
}

export function ConversationMenu({ conversation: { id, title, status }, callId }: ConversationMenuProps) {
  const words = useWords();
  const { stores, route } = useFrame();
  const { error, run } = useAttempt();
  const [isAsking, setIsAsking] = useState(false);
  const save = (format: "json" | "md") =>
    run(() =>
      stores.client
        .call("conversations.export", { id, format })
        .then(({ name, text }) => saveFile(name, text)),
    );
  const remove = () =>
    run(async () => {
      await stores.client.call("conversations.delete", { ids: [id] });
      route.go("conversations");
      await stores.conversations.load();
    });
  const look = { label: words.text("conversation.inspect"), onChoose: () => route.go("inspector", callId) };
  const erase = {
    label: words.text("action.delete"),
    isDangerous: true,
    onChoose: () => setIsAsking(true),
  };
  return (
    <>
      <Menu
        label={words.text("conversation.menu")}
        sign={<Ellipsis size={16} aria-hidden="true" />}
        isIcon
        items={[
          { label: words.text("conversation.saveMarkdown"), onChoose: () => save("md") },
          { label: words.text("conversation.saveJson"), onChoose: () => save("json") },
          ...(callId === null ? [] : [look]),
          ...(isRunning(status) ? [] : [erase]),
        ]}
      />
      {error !== null && <Sentence text={error} />}
      {isAsking && (
        <Confirm
          title={words.text("conversation.deleteTitle", {
            title: title ?? words.text("conversations.untitled"),
          })}
          action={words.text("action.delete")}
          isDangerous
          onConfirm={remove}
          onClose={() => setIsAsking(false)}
        >
          <p>{words.text("conversation.deleteMeans")}</p>
        </Confirm>
      )}
    </>
  );
}
