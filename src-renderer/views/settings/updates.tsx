/** Whether a newer version is out: asked only when the user wants that, told and never installed. */
import { useState } from "react";
import type { UpdatesView, UpdateView } from "../../../src-main/contract/program.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Switch } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { addressOf, LinkDialog } from "../../parts/text/link-dialog.tsx";
import parts from "../../styles/parts.module.css";
import { useAttempt } from "../use-attempt.ts";
import { type Asked, useCall } from "../use-call.ts";
import styles from "./settings.module.css";

export function Updates() {
  const words = useWords();
  const updates = useCall("updates.get", null);
  if (updates.state.type !== "loaded") return null;
  if (!updates.state.value.isKnown) return <p>{words.text("updates.unknown")}</p>;
  return <Known updates={updates} view={updates.state.value} />;
}

interface KnownProps {
  readonly updates: Asked<UpdatesView>;
  readonly view: UpdatesView;
}

function Known({ updates, view: { newer, checkedMs } }: KnownProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const settings = useCall("settings.get", null);
  const { isAtWork, error, run } = useAttempt();
  const isDaily = settings.state.type === "loaded" && settings.state.value.updates;
  return (
    <div className={styles.made}>
      <Switch
        label={words.text("updates.daily")}
        checked={isDaily}
        onChange={(on) => run(() => client.call("settings.set", { updates: on }).then(settings.set))}
      />
      <button
        type="button"
        className={parts.button}
        disabled={isAtWork}
        onClick={() => run(() => client.call("updates.check", null).then(updates.set))}
      >
        {words.text("updates.check")}
      </button>
      <div role="status">
        {newer && <Newer update={newer} />}
        {!newer && checkedMs !== null && (
          <p>{words.text("updates.none", { time: words.time(checkedMs, Date.now()) })}</p>
        )}
      </div>
      {error !== null && <Sentence text={error} />}
    </div>
  );
}

function Newer({ update: { version, notes, page } }: { readonly update: UpdateView }) {
  const words = useWords();
  const [url, setUrl] = useState<URL | null>(null);
  return (
    <>
      <p>
        <strong>{words.text("updates.newer", { version })}</strong>
      </p>
      <pre className={styles.notes}>
        <Foreign text={notes} />
      </pre>
      <button type="button" className={parts.button} onClick={() => setUrl(addressOf(page))}>
        {words.text("updates.open")}
      </button>
      {url && <LinkDialog url={url} onClose={() => setUrl(null)} />}
    </>
  );
}
