/** Channels as a file: to another computer, or away and back. What comes in arrives switched off. */
import { useRef, useState } from "react";
import type { ChannelView, Imported } from "../../../src-main/contract/channels.ts";
import type { Client, ParamsOf } from "../../../src-main/contract/contract.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Choice, Field, TextField } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { saveFile } from "../../parts/save-file.ts";
import { messageOf } from "../../stores/shadow.ts";
import parts from "../../styles/parts.module.css";
import styles from "./editor.module.css";

/** One channel in the form that an import takes, without its key. */
export async function copyOf(client: Client, { name }: ChannelView): Promise<string> {
  const { text } = await client.call("channels.export", { passphrase: null });
  const all = JSON.parse(text) as {
    readonly channels: readonly { readonly fields: { readonly name: string } }[];
  };
  return JSON.stringify(
    { ...all, channels: all.channels.filter(({ fields }) => fields.name === name) },
    null,
    2,
  );
}

export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useWords();
  const { client } = useFrame().stores;
  const [kind, setKind] = useState<"plain" | "sealed">("plain");
  const [passphrase, setPassphrase] = useState("");
  const [error, setError] = useState<string | null>(null);
  const save = async () => {
    try {
      const asked = { passphrase: kind === "plain" ? null : passphrase };
      const { text } = await client.call("channels.export", asked);
      saveFile(`ownkey-channels-${new Date().toISOString().slice(0, 10)}.json`, text);
      onClose();
    } catch (reason) {
      setError(messageOf(reason));
    }
  };
  return (
    <Dialog
      title={words.text("channels.export")}
      onClose={onClose}
      actions={
        <>
          <button type="button" className={parts.button} onClick={onClose}>
            {words.text("action.cancel")}
          </button>
          <button type="button" className={parts.primary} onClick={() => void save()}>
            {words.text("export.save")}
          </button>
        </>
      }
    >
      <Choice
        legend={words.text("channels.exportKind")}
        value={kind}
        options={(["plain", "sealed"] as const).map((value) => ({
          value,
          label: words.text(`channels.export.${value}`),
        }))}
        onChange={setKind}
      />
      {kind === "sealed" && (
        <TextField
          label={words.text("channels.passphrase")}
          hint={words.text("channels.passphraseHint")}
          error={error}
          type="password"
          autoComplete="off"
          value={passphrase}
          onChange={setPassphrase}
        />
      )}
    </Dialog>
  );
}

type Same = ParamsOf<"channels.import">["same"];
const sames: readonly Same[] = ["skip", "replace", "keep both"];

export function ImportDialog({ onClose }: { readonly onClose: () => void }) {
  const words = useWords();
  const { client } = useFrame().stores;
  const [text, setText] = useState("");
  const [passphrase, setPassphrase] = useState("");
  const [same, setSame] = useState<Same>("skip");
  const [trial, setTrial] = useState<readonly Imported[] | null>(null);
  const [error, setError] = useState<string | null>(null);
  const isSealed = /"ownkey"\s*:\s*"channels, encrypted"/.test(text);
  const send = async (isTrial: boolean, as: Same = same) => {
    setError(null);
    setTrial(null);
    try {
      const asked = { text, passphrase: isSealed ? passphrase : null, same: as, isTrial };
      const imported = await client.call("channels.import", asked);
      if (isTrial) setTrial(imported);
      else onClose();
    } catch (reason) {
      setError(messageOf(reason));
    }
  };
  return (
    <Dialog
      title={words.text("channels.import")}
      onClose={onClose}
      actions={
        <>
          <button type="button" className={parts.button} onClick={onClose}>
            {words.text("action.cancel")}
          </button>
          <button
            type="button"
            className={parts.primary}
            disabled={text.trim() === ""}
            onClick={() => void send(trial === null)}
          >
            {trial ? words.plural("channels.importNow", trial.length) : words.text("channels.look")}
          </button>
        </>
      }
    >
      <p>{words.text("channels.importAbout")}</p>
      <Source
        text={text}
        error={error}
        onChange={(given) => {
          setText(given);
          setTrial(null);
        }}
      />
      {isSealed && (
        <TextField
          label={words.text("channels.passphrase")}
          type="password"
          autoComplete="off"
          value={passphrase}
          onChange={setPassphrase}
        />
      )}
      <Choice
        legend={words.text("channels.same")}
        value={same}
        options={sames.map((value) => ({ value, label: words.text(`channels.same.${value}`) }))}
        onChange={(value) => {
          setSame(value);
          if (trial) void send(true, value);
        }}
      />
      {trial && <Trial trial={trial} />}
    </Dialog>
  );
}

interface SourceProps {
  readonly text: string;
  readonly error: string | null;
  readonly onChange: (text: string) => void;
}

function Source({ text, error, onChange }: SourceProps) {
  const words = useWords();
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={file}
        hidden
        type="file"
        accept="application/json,.json"
        onChange={({ target }) => void target.files?.[0]?.text().then(onChange)}
      />
      <Field
        label={words.text("channels.importText")}
        error={error}
        hint={
          <button type="button" className={parts.quiet} onClick={() => file.current?.click()}>
            {words.text("channels.chooseFile")}
          </button>
        }
      >
        {(ids) => (
          <textarea
            {...ids}
            rows={5}
            spellCheck={false}
            className={`${parts.field} ${styles.code}`}
            value={text}
            onChange={({ target }) => onChange(target.value)}
          />
        )}
      </Field>
    </>
  );
}

function Trial({ trial }: { readonly trial: readonly Imported[] }) {
  const words = useWords();
  return (
    <table className={styles.trial}>
      <thead>
        <tr>
          <th scope="col">{words.text("form.name")}</th>
          <th scope="col">{words.text("channels.leadsTo")}</th>
          <th scope="col">{words.text("channels.becomes")}</th>
        </tr>
      </thead>
      <tbody>
        {trial.map(({ name, host, what }) => (
          <tr key={name}>
            <td>
              <Foreign text={name} />
            </td>
            <td>
              <code>
                <Foreign text={host} />
              </code>
            </td>
            <td>{words.text(`channels.imported.${what}`)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
