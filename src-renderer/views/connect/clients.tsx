/** The lines that Cursor's command line and programs with @cursor/sdk want in their environment. */
import { useState } from "react";
import { useStore } from "zustand";
import type { CaView } from "../../../src-main/contract/cursor.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { commands } from "../../parts/commands.ts";
import { Sentence } from "../../parts/sentence.tsx";
import { SourceHint } from "../../parts/source-hint.tsx";
import parts from "../../styles/parts.module.css";
import { NewKey } from "../settings/local-keys.tsx";
import { useAttempt } from "../use-attempt.ts";
import type { Asked } from "../use-call.ts";
import { Card } from "./card.tsx";
import styles from "./connect.module.css";

export function CliCard({ ca }: { readonly ca: Asked<CaView> }) {
  const words = useWords();
  const status = useStore(useFrame().stores.status.store);
  const port = status.type === "loaded" ? status.value.proxyPort : null;
  const file = ca.state.type === "loaded" ? ca.state.value.file : null;
  const isReady = port !== null && file !== null;
  return (
    <Card
      title={words.text("connect.cli")}
      about={words.text("connect.cli.about")}
      tone="off"
      state={words.text(isReady ? "connect.cli.ready" : "connect.certificateFirst")}
    >
      {isReady && (
        <>
          <CommandLine command={`HTTPS_PROXY=http://127.0.0.1:${port}`} />
          <CommandLine command={`NODE_EXTRA_CA_CERTS=${file}`} />
        </>
      )}
      <p>{words.text("connect.run")}</p>
      <CommandLine command={commands.run} />
      <SourceHint />
    </Card>
  );
}

export function SdkCard() {
  const words = useWords();
  const { client, status } = useFrame().stores;
  const state = useStore(status.store);
  const { error, run } = useAttempt();
  const [address, setAddress] = useState<string | null>(null);
  const keys = state.type === "loaded" ? state.value.keys : 0;
  return (
    <Card
      title="@cursor/sdk"
      about={words.text("connect.sdk.about")}
      tone={keys > 0 ? "ok" : "off"}
      state={words.plural("connect.keys", keys)}
    >
      <NewKey onMade={() => void status.load()} line="CURSOR_API_KEY=" />
      {address === null ? (
        <div className={styles.buttons}>
          <button
            type="button"
            className={parts.button}
            onClick={() =>
              run(() => client.call("direct.address", null).then(({ direct }) => setAddress(direct)))
            }
          >
            {words.text("connect.showAddress")}
          </button>
        </div>
      ) : (
        <CommandLine command={`CURSOR_BACKEND_URL=${address}`} />
      )}
      {error !== null && <Sentence text={error} />}
      <p className={parts.hint}>{words.text("connect.sdk.secrets")}</p>
    </Card>
  );
}
