/** The ways out of this machine: for the models, and for what Cursor itself asks its servers. */
import { type FormEvent, useState } from "react";
import type { NetworkView, SetNetwork } from "../../../src-main/contract/program.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Choice, TextField } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Loaded } from "../../parts/panel.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import parts from "../../styles/parts.module.css";
import { useAttempt } from "../use-attempt.ts";
import { useCall } from "../use-call.ts";
import styles from "./settings.module.css";

export function Network() {
  const words = useWords();
  const network = useCall("network.get", null);
  return (
    <Loaded state={network.state} failure={words.text("data.failed")} onRetry={network.load}>
      {(view) => (
        <div className={styles.form}>
          <p>{words.text("network.about")}</p>
          <Way user="channels" way={view} system={view.systemProxy} onSet={network.set} />
          <Way
            user="cursor"
            way={view.cursor}
            system={view.cursor.before ?? view.systemProxy}
            onSet={network.set}
          />
        </div>
      )}
    </Loaded>
  );
}

interface WayProps {
  readonly user: NonNullable<SetNetwork["for"]>;
  readonly way: Pick<NetworkView, "proxy" | "hasPassword">;
  /** The proxy that `system` means now; null: none. */
  readonly system: string | null;
  readonly onSet: (view: NetworkView) => void;
}

const kinds = ["system", "none", "own"] as const;
type Kind = (typeof kinds)[number];
const kindOf = (proxy: string): Kind => kinds.find((kind) => kind === proxy) ?? "own";

function Way({ user, way: { proxy, hasPassword }, system, onSet }: WayProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const { isAtWork, error, run } = useAttempt();
  const [kind, setKind] = useState(kindOf(proxy));
  const [address, setAddress] = useState(kindOf(proxy) === "own" ? proxy : "");
  const [password, setPassword] = useState("");
  const [isSaved, setIsSaved] = useState(false);
  const save = (event: FormEvent) => {
    event.preventDefault();
    setIsSaved(false);
    const wanted = kind === "own" ? address.trim() : kind;
    const credentials = password === "" ? {} : { credentials: password };
    run(async () => {
      onSet(await client.call("network.set", { for: user, proxy: wanted, ...credentials }));
      setPassword("");
      setIsSaved(true);
    });
  };
  const isKept = hasPassword && address === proxy;
  return (
    <form className={styles.made} aria-label={words.text(`network.${user}`)} onSubmit={save}>
      <Choice
        legend={words.text(`network.${user}`)}
        value={kind}
        options={kinds.map((value) => ({ value, label: words.text(`network.${value}`) }))}
        onChange={setKind}
      />
      {kind === "system" && (
        <p className={parts.hint}>
          {system === null ? words.text("network.noProxy") : <Foreign text={system} />}
        </p>
      )}
      {kind === "own" && (
        <div className={styles.inline}>
          <TextField
            label={words.text("form.proxyUrl")}
            hint="http://127.0.0.1:7890"
            required
            type="url"
            spellCheck={false}
            value={address}
            onChange={setAddress}
          />
          <TextField
            label={words.text("form.proxyPassword")}
            hint={words.text(isKept ? "form.kept" : "form.proxyPasswordHint")}
            type="password"
            autoComplete="off"
            value={password}
            onChange={setPassword}
          />
        </div>
      )}
      <button type="submit" className={parts.button} disabled={isAtWork}>
        {words.text("action.save")}
      </button>
      <span role="status">{isSaved && words.text("network.saved")}</span>
      {error !== null && <Sentence text={error} />}
    </form>
  );
}
