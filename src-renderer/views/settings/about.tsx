/** About this program: versions, where things lie, and facts for a report. */
import { useStore } from "zustand";
import type { Status } from "../../../src-main/contract/program.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Loaded } from "../../parts/panel.tsx";
import styles from "./settings.module.css";
import { Updates } from "./updates.tsx";

export function About() {
  const words = useWords();
  const { status } = useFrame().stores;
  const state = useStore(status.store);
  return (
    <Loaded state={state} failure={words.text("health.failed")} onRetry={() => void status.load()}>
      {(value) => (
        <div className={styles.form}>
          <p>
            <strong>{words.text("footer.version", { version: value.version })}</strong>
          </p>
          <p>{words.text("about.promise")}</p>
          <dl className={styles.facts}>
            <dt>{words.text("about.dataDir")}</dt>
            <dd>
              <Foreign text={value.dataDir} />
            </dd>
            <dt>{words.text("about.sealer")}</dt>
            <dd>{words.text(`about.sealer.${value.sealer}`)}</dd>
            <dt>{words.text("about.address")}</dt>
            <dd>{words.text("about.address.value", { port: String(value.port ?? "–") })}</dd>
          </dl>
          <Updates />
          <CopyButton text={factsOf(value)} label={words.text("about.copy")} />
        </div>
      )}
    </Loaded>
  );
}

/** A list of what is told, nothing else: no path, no name, no key. */
const factsOf = ({ version, port, channels, keys, runs, sealer }: Status): string =>
  JSON.stringify(
    {
      ownkey: version,
      port,
      channels,
      keys,
      runs,
      sealer,
      browser: navigator.userAgent,
      language: navigator.language,
    },
    null,
    2,
  );
