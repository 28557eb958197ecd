/** What is stored: how long, its copies, and a way to delete all conversations. */
import { useState } from "react";
import type { Client } from "../../../src-main/contract/contract.ts";
import type { BackupView, ListPlace } from "../../../src-main/contract/conversations.ts";
import type { Settings } from "../../../src-main/contract/program.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { NumberField, Switch } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Loaded } from "../../parts/panel.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import parts from "../../styles/parts.module.css";
import { useAttempt } from "../use-attempt.ts";
import { useCall } from "../use-call.ts";
import styles from "./settings.module.css";

export function Data() {
  const words = useWords();
  const settings = useCall("settings.get", null);
  return (
    <div className={styles.form}>
      <Loaded state={settings.state} failure={words.text("data.failed")} onRetry={settings.load}>
        {(value) => <Kept value={value} onChanged={settings.set} />}
      </Loaded>
      <Stored />
      <DeleteAll />
    </div>
  );
}

interface KeptProps {
  readonly value: Settings;
  readonly onChanged: (value: Settings) => void;
}

function Kept({ value, onChanged }: KeptProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const { error, run } = useAttempt();
  const set = (change: Partial<Settings>) => run(() => client.call("settings.set", change).then(onChanged));
  return (
    <>
      <NumberField
        label={words.text("data.keepDays")}
        hint={words.text("data.keepDaysHint")}
        min={1}
        step={1}
        none={null}
        value={value.keepDays}
        onChange={(keepDays) => set({ keepDays })}
      />
      <Switch
        label={words.text("data.dailyBackups")}
        checked={value.dailyBackups}
        onChange={(dailyBackups) => set({ dailyBackups })}
      />
      {error !== null && <Sentence text={error} />}
    </>
  );
}

function Stored() {
  const words = useWords();
  const { client } = useFrame().stores;
  const stored = useCall("data.get", null);
  const { isAtWork, error, run } = useAttempt();
  const [restored, setRestored] = useState<BackupView | null>(null);
  const backup = () =>
    run(async () => {
      await client.call("data.backup", { file: null, overwrite: false });
      stored.load();
    });
  const restore = ({ file }: BackupView) =>
    run(async () => {
      await client.call("data.restore", { file });
      location.reload();
    });
  return (
    <Loaded state={stored.state} failure={words.text("data.failed")} onRetry={stored.load}>
      {({ file, bytes, backups }) => (
        <div className={styles.made}>
          <p>
            {words.text("data.stored", { size: words.bytes(bytes) })}{" "}
            <code>
              <Foreign text={file} />
            </code>
          </p>
          <button type="button" className={parts.button} disabled={isAtWork} onClick={backup}>
            {words.text("data.backup")}
          </button>
          <ul className={styles.rows} aria-label={words.text("data.backups")}>
            {backups.map((each) => (
              <li key={each.file}>
                <span>
                  {words.time(each.createdMs, Date.now())}
                  <small>
                    {words.text(`data.kind.${each.kind}`)} · {words.bytes(each.bytes)}
                  </small>
                </span>
                <button type="button" className={parts.button} onClick={() => setRestored(each)}>
                  {words.text("data.restore")}
                </button>
              </li>
            ))}
          </ul>
          {error !== null && <Sentence text={error} />}
          {restored && (
            <Confirm
              title={words.text("data.restoreTitle")}
              action={words.text("data.restore")}
              isDangerous
              onConfirm={() => restore(restored)}
              onClose={() => setRestored(null)}
            >
              <p>{words.text("data.restoreMeans")}</p>
            </Confirm>
          )}
        </div>
      )}
    </Loaded>
  );
}

function DeleteAll() {
  const words = useWords();
  const { client, conversations } = useFrame().stores;
  const { isAtWork, error, run } = useAttempt();
  const [ids, setIds] = useState<readonly string[] | null>(null);
  const [deleted, setDeleted] = useState<number | null>(null);
  const remove = (all: readonly string[]) =>
    run(async () => {
      const done = await client.call("conversations.delete", { ids: all });
      await client.call("recording.clear", { callIds: null });
      setDeleted(done.conversations);
      await conversations.load();
    });
  return (
    <div className={styles.made}>
      <button
        type="button"
        className={parts.danger}
        disabled={isAtWork}
        onClick={() => run(() => allIds(client).then(setIds))}
      >
        {words.text("data.deleteAll")}
      </button>
      <p role="status">{deleted !== null && words.plural("data.deleted", deleted)}</p>
      {error !== null && <Sentence text={error} />}
      {ids && (
        <Confirm
          title={words.plural("data.deleteTitle", ids.length)}
          action={words.text("action.delete")}
          isDangerous
          onConfirm={() => remove(ids)}
          onClose={() => setIds(null)}
        >
          <p>{words.text("data.deleteMeans")}</p>
        </Confirm>
      )}
    </div>
  );
}

async function allIds(client: Client): Promise<readonly string[]> {
  const ids: string[] = [];
  let after: ListPlace | null = null;
  do {
    const wanted = { text: "", status: "all", sinceMs: null, after, limit: 100 } as const;
    const page: {
      readonly hits: readonly { readonly conversation: { readonly id: string } }[];
      readonly next: ListPlace | null;
    } = await client.call("conversations.list", wanted);
    ids.push(...page.hits.map(({ conversation }) => conversation.id));
    after = page.next;
  } while (after !== null);
  return ids;
}
