/** Local keys: what lets a client of Cursor in. A new one is shown once. */
import { type FormEvent, useState } from "react";
import type { KeyView } from "../../../src-main/contract/program.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { TextField } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Loaded } from "../../parts/panel.tsx";
import parts from "../../styles/parts.module.css";
import { useCall } from "../use-call.ts";
import styles from "./settings.module.css";

export function LocalKeys() {
  const words = useWords();
  const { client } = useFrame().stores;
  const keys = useCall("keys.list", null);
  const [revoking, setRevoking] = useState<KeyView | null>(null);
  const revoke = (id: string) => void client.call("keys.revoke", { id }).then(keys.load);
  return (
    <div className={styles.form}>
      <p>{words.text("access.about")}</p>
      <NewKey onMade={keys.load} />
      <Loaded state={keys.state} failure={words.text("access.failed")} onRetry={keys.load}>
        {(list) => (
          <ul className={styles.rows}>
            {list.map((key) => (
              <li key={key.id}>
                <span>
                  <Foreign text={key.name} />
                  <code>ok_…{key.last4}</code>
                </span>
                <small>
                  {key.usedMs === null
                    ? words.text("access.neverUsed")
                    : words.text("access.used", { time: words.time(key.usedMs, Date.now()) })}
                </small>
                <button
                  type="button"
                  className={parts.button}
                  aria-label={words.text("access.revokeName", { name: key.name })}
                  onClick={() => setRevoking(key)}
                >
                  {words.text("access.revoke")}
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      {revoking && (
        <Confirm
          title={words.text("access.revokeName", { name: revoking.name })}
          action={words.text("access.revoke")}
          isDangerous
          onConfirm={() => revoke(revoking.id)}
          onClose={() => setRevoking(null)}
        >
          <p>{words.text("access.revokeMeans")}</p>
        </Confirm>
      )}
    </div>
  );
}

interface NewKeyProps {
  readonly onMade: () => void;
  /** Before the key, where it is to be copied as a line. */
  readonly line?: string;
}

/** Makes one, and shows it the only time that it can be shown. */
export function NewKey({ onMade, line = "" }: NewKeyProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const [name, setName] = useState("Cursor");
  const [made, setMade] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const make = (event: FormEvent) => {
    event.preventDefault();
    client.call("keys.new", { name: name.trim() }).then(
      ({ key }) => {
        setMade(key);
        setError(null);
        onMade();
      },
      (reason: Error) => setError(reason.message),
    );
  };
  if (made !== null)
    return (
      <div className={styles.made} role="status">
        <strong>{words.text("access.made")}</strong>
        <CommandLine command={`${line}${made}`} />
      </div>
    );
  return (
    <form className={styles.inline} onSubmit={make}>
      <TextField
        label={words.text("access.name")}
        error={error}
        required
        maxLength={100}
        value={name}
        onChange={setName}
      />
      <button type="submit" className={parts.primary}>
        {words.text("access.new")}
      </button>
    </form>
  );
}
