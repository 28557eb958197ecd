/** One channel, new or known: what is needed first, everything else behind "more". Keys go in and never come out. */
import { type FormEvent, useState } from "react";
import type { ChannelView, Client } from "../../../src-main/contract.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Field } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { addressOf, LinkDialog } from "../../parts/text/link-dialog.tsx";
import { messageOf } from "../../stores/shadow.ts";
import parts from "../../styles/parts.module.css";
import { type Draft, draftOf, emptyDraft, type PartProps } from "./draft.ts";
import styles from "./form.module.css";
import { More } from "./form-more.tsx";
import { type Preset, presets } from "./presets.ts";

interface ChannelFormProps {
  /** null: a new one. */
  readonly channel: ChannelView | null;
  readonly onSaved: (channel: ChannelView) => void;
  readonly onCancel?: () => void;
}

export function ChannelForm({ channel, onSaved, onCancel }: ChannelFormProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const [draft, setDraft] = useState<Draft>(channel ?? emptyDraft);
  const [preset, setPreset] = useState<Preset | null>(null);
  const [key, setKey] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [isSaving, setIsSaving] = useState(false);
  const change = (own: Partial<Draft>) => setDraft({ ...draft, ...own });
  const choose = (chosen: Preset) => {
    const { name, baseUrl, model, contextWindow } = chosen;
    setPreset(chosen);
    change({
      name: draft.name === "" || draft.name === preset?.name ? name : draft.name,
      baseUrl,
      model,
      contextWindow,
    });
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setIsSaving(true);
    setError(null);
    try {
      onSaved(await send(client, channel, draftOf(draft), key));
    } catch (reason) {
      setError(messageOf(reason));
    }
    setIsSaving(false);
  };
  return (
    <form className={styles.form} onSubmit={(event) => void save(event)}>
      {channel === null && <Tiles chosen={preset} onChoose={choose} />}
      <Main draft={draft} change={change} keysAt={preset?.keysAt ?? null}>
        <KeyField value={key} onChange={setKey} channel={channel} />
      </Main>
      <More draft={draft} change={change} />
      {error !== null && (
        <p role="alert" className={styles.error}>
          <Foreign text={error} />
        </p>
      )}
      <div className={styles.actions}>
        {onCancel && (
          <button type="button" className={parts.button} onClick={onCancel}>
            {words.text("action.cancel")}
          </button>
        )}
        <button type="submit" className={parts.primary} disabled={isSaving}>
          {words.text(channel ? "action.save" : "form.add")}
        </button>
      </div>
    </form>
  );
}

/** An empty key means: none for a new channel, the old one for a known one. */
function send(client: Client, channel: ChannelView | null, fields: Draft, key: string): Promise<ChannelView> {
  if (channel) return client.call("channels.set", { id: channel.id, fields, ...(key === "" ? {} : { key }) });
  const draft = { ...fields, format: "openai-chat" } as const;
  return client.call("channels.add", { fields: draft, key: key === "" ? null : key });
}

interface TilesProps {
  readonly chosen: Preset | null;
  readonly onChoose: (preset: Preset) => void;
}

function Tiles({ chosen, onChoose }: TilesProps) {
  const words = useWords();
  return (
    <fieldset className={styles.tiles}>
      <legend>{words.text("form.preset")}</legend>
      {presets.map((preset) => (
        <button
          key={preset.name}
          type="button"
          className={parts.button}
          aria-pressed={preset === chosen}
          onClick={() => onChoose(preset)}
        >
          {preset.name}
        </button>
      ))}
    </fieldset>
  );
}

function Main({
  draft,
  change,
  keysAt,
  children,
}: PartProps & { readonly keysAt: string | null; readonly children: React.ReactNode }) {
  const words = useWords();
  const [url, setUrl] = useState<URL | null>(null);
  return (
    <>
      <Field label={words.text("form.name")} hint={words.text("form.nameHint")}>
        {(ids) => (
          <input
            {...ids}
            className={parts.field}
            required
            maxLength={100}
            value={draft.name}
            onChange={({ target }) => change({ name: target.value })}
          />
        )}
      </Field>
      <Field
        label={words.text("form.baseUrl")}
        hint={draft.baseUrl === "" ? words.text("form.baseUrlHint") : `→ POST ${calledUrl(draft.baseUrl)}`}
      >
        {(ids) => (
          <input
            {...ids}
            type="url"
            className={parts.field}
            required
            value={draft.baseUrl}
            onChange={({ target }) => change({ baseUrl: target.value })}
          />
        )}
      </Field>
      <Field label={words.text("form.model")} hint={words.text("form.modelHint")}>
        {(ids) => (
          <input
            {...ids}
            className={parts.field}
            required
            maxLength={200}
            value={draft.model}
            onChange={({ target }) => change({ model: target.value })}
          />
        )}
      </Field>
      {children}
      {keysAt !== null && (
        <button
          type="button"
          className={`${parts.button} ${styles.get}`}
          onClick={() => setUrl(addressOf(keysAt))}
        >
          {words.text("form.getKey")}
        </button>
      )}
      {url && <LinkDialog url={url} onClose={() => setUrl(null)} />}
    </>
  );
}

interface KeyFieldProps {
  readonly value: string;
  readonly onChange: (key: string) => void;
  readonly channel: ChannelView | null;
}

function KeyField({ value, onChange, channel }: KeyFieldProps) {
  const words = useWords();
  const [isSeen, setIsSeen] = useState(false);
  return (
    <Field
      label={words.text("form.key")}
      hint={words.text(channel?.key === "set" ? "form.keyKept" : "form.keyHint")}
    >
      {(ids) => (
        <span className={styles.key}>
          <input
            {...ids}
            type={isSeen ? "text" : "password"}
            className={parts.field}
            autoComplete="off"
            spellCheck={false}
            value={value}
            onChange={({ target }) => onChange(target.value)}
          />
          {value !== "" && (
            <button
              type="button"
              className={parts.button}
              aria-pressed={isSeen}
              onClick={() => setIsSeen(!isSeen)}
            >
              {words.text("form.seeKey")}
            </button>
          )}
        </span>
      )}
    </Field>
  );
}

/** As the program calls it, whichever way the address was pasted. */
function calledUrl(baseUrl: string): string {
  const url = URL.parse(baseUrl.trim());
  if (!url) return "…";
  const path = url.pathname.replace(/\/+$/, "").replace(/\/chat\/completions$/, "");
  return `${url.origin}${path === "" ? "/v1" : path}/chat/completions`;
}
