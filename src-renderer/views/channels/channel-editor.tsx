/**
 * One channel, new or known. Nothing is changed before "Save"; whoever leaves with changes is asked. Keys go in and
 * never come out.
 */
import { type FormEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { useStore } from "zustand";
import type { ChannelFields, ChannelView } from "../../../src-main/contract/channels.ts";
import type { Client } from "../../../src-main/contract/contract.ts";
import { useFrame } from "../../frame/frame.ts";
import { hasMod } from "../../frame/keys.ts";
import { useWords } from "../../i18n/language.tsx";
import { Switch } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { messageOf } from "../../stores/shadow.ts";
import parts from "../../styles/parts.module.css";
import { Advanced } from "./advanced.tsx";
import { Connection } from "./connection.tsx";
import {
  additionsOf,
  changeOf,
  type Draft,
  draftOf,
  emptyDraft,
  isSame,
  type Problems,
  problemsOf,
} from "./draft.ts";
import styles from "./editor.module.css";
import { LeavingDialog } from "./leaving.tsx";
import { ModelPart } from "./model-part.tsx";
import { TestPanel } from "./test-panel.tsx";

interface ChannelEditorProps {
  /** null: a new one. */
  readonly channel: ChannelView | null;
  /** null: several were added. */
  readonly onSaved: (channel: ChannelView | null) => void;
  /** Left out: there is no list behind it. */
  readonly onClose?: () => void;
}

export function ChannelEditor({ channel, onSaved, onClose }: ChannelEditorProps) {
  const words = useWords();
  const editing = useEditing(channel, onSaved);
  const { draft, problems, change, set, models, setModels, isDirty, error, isSaving, save } = editing;
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (onClose) heading.current?.focus();
  }, [onClose]);
  const press = (event: KeyboardEvent) => {
    if (hasMod(event.nativeEvent) && event.key === "s") {
      event.preventDefault();
      void save();
    } else if (event.key === "Escape" && !event.nativeEvent.isComposing) onClose?.();
  };
  const part = { draft, problems, set, change };
  return (
    <section className={styles.editor} aria-label={channel?.name ?? words.text("channels.add")}>
      <form
        noValidate
        className={styles.form}
        onKeyDown={press}
        onSubmit={(event: FormEvent) => {
          event.preventDefault();
          void save();
        }}
      >
        {onClose && <Head channel={channel} heading={heading} />}
        <Connection {...part} channel={channel} />
        <ModelPart {...part} channel={channel} models={models} onModels={setModels} />
        <Advanced {...part} channel={channel} />
        <Trouble error={error} problems={problems} />
        <div className={styles.actions}>
          {isDirty && channel && <span className={styles.unsaved}>{words.text("form.unsaved")}</span>}
          {channel && isDirty && (
            <button type="button" className={parts.button} onClick={() => change(draftOf(channel))}>
              {words.text("form.discard")}
            </button>
          )}
          {onClose && (!channel || !isDirty) && (
            <button type="button" className={parts.button} onClick={onClose}>
              {words.text(channel ? "action.close" : "action.cancel")}
            </button>
          )}
          <button
            type="submit"
            className={parts.primary}
            aria-keyshortcuts="Control+S"
            disabled={isSaving || (channel !== null && !isDirty)}
          >
            {channel && words.text("action.save")}
            {!channel &&
              (models.length > 1 ? words.plural("form.add", models.length) : words.text("form.addThis"))}
          </button>
        </div>
      </form>
      {channel && <TestPanel channel={channel} isDirty={isDirty} onSave={save} />}
      <LeavingDialog isDirty={isDirty} onSave={save} />
    </section>
  );
}

function useEditing(channel: ChannelView | null, onSaved: (channel: ChannelView | null) => void) {
  const { channels, client } = useFrame().stores;
  const { route } = useFrame();
  const list = useStore(channels.store);
  const [before, setBefore] = useState<Draft>(() => (channel ? draftOf(channel) : emptyDraft));
  const [draft, setDraft] = useState(before);
  const [models, setModels] = useState<readonly string[]>([]);
  const [isTried, setIsTried] = useState(false);
  const [isSaving, setIsSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const found = problemsOf(draft, channel, list.type === "loaded" ? list.value : []);
  const change = (own: Partial<Draft>) => setDraft((old) => ({ ...old, ...own }));
  const set = (fields: Partial<ChannelFields>) =>
    setDraft((old) => ({ ...old, fields: { ...old.fields, ...fields } }));
  /** false: something is in the way, and is shown. */
  const save = async (): Promise<boolean> => {
    setIsTried(true);
    setError(null);
    if (Object.keys(found).length > 0) return false;
    setIsSaving(true);
    try {
      const saved = await send(client, channel, draft, models);
      route.guard(null);
      if (saved) {
        setBefore(draftOf(saved));
        setDraft(draftOf(saved));
      }
      setIsTried(false);
      onSaved(saved);
      return true;
    } catch (reason) {
      setError(messageOf(reason));
      return false;
    } finally {
      setIsSaving(false);
    }
  };
  const problems: Problems = isTried ? found : {};
  const isDirty = !isSame(draft, before);
  return { draft, problems, change, set, models, setModels, isDirty, error, isSaving, save };
}

async function send(
  client: Client,
  channel: ChannelView | null,
  draft: Draft,
  models: readonly string[],
): Promise<ChannelView | null> {
  if (channel) return client.call("channels.set", changeOf(draft, channel));
  let last: ChannelView | null = null;
  for (const addition of additionsOf(draft, models)) last = await client.call("channels.add", addition);
  return models.length > 1 ? null : last;
}

interface HeadProps {
  readonly channel: ChannelView | null;
  readonly heading: React.RefObject<HTMLHeadingElement | null>;
}

function Head({ channel, heading }: HeadProps) {
  const words = useWords();
  const { channels } = useFrame().stores;
  return (
    <header className={styles.head}>
      <h2 ref={heading} tabIndex={-1}>
        {channel ? <Foreign text={channel.name} /> : words.text("channels.add")}
      </h2>
      {channel && (
        <Switch
          label={words.text("form.enabled")}
          checked={channel.enabled}
          onChange={(enabled) => void channels.enable(channel.id, enabled)}
        />
      )}
    </header>
  );
}

function Trouble({ error, problems }: { readonly error: string | null; readonly problems: Problems }) {
  const words = useWords();
  const count = Object.keys(problems).length;
  if (error === null && count === 0) return null;
  return (
    <p role="alert" className={styles.error}>
      {error === null ? words.plural("form.problems", count) : <Foreign text={error} />}
    </p>
  );
}
