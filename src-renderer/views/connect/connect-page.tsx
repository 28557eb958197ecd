/** Connect: what Cursor needs to reach the models, how each part stands, and how it is taken back. */
import { useStore } from "zustand";
import { useFrame } from "../../frame/frame.ts";
import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import parts from "../../styles/parts.module.css";
import { useCall } from "../use-call.ts";
import { Card } from "./card.tsx";
import { Certificate } from "./certificate.tsx";
import { ChangesOnThisComputer } from "./changes.tsx";
import { CliCard, SdkCard } from "./clients.tsx";
import styles from "./connect.module.css";
import { Doctor } from "./doctor.tsx";
import { Ide } from "./ide.tsx";

export function ConnectPage() {
  const words = useWords();
  const ca = useCall("ca.show", null);
  const setup = useCall("setup.status", null);
  return (
    <Page title={words.text("nav.connect")}>
      <div className={styles.cards}>
        <ProxyCard />
        <Certificate ca={ca} />
        <Ide setup={setup} ca={ca} />
        <CliCard ca={ca} />
        <SdkCard />
        <Doctor />
        <ChangesOnThisComputer setup={setup} ca={ca} />
      </div>
    </Page>
  );
}

function ProxyCard() {
  const words = useWords();
  const { status, client } = useFrame().stores;
  const state = useStore(status.store);
  const value = state.type === "loaded" ? state.value : null;
  const port = value?.proxyPort ?? null;
  const isPaused = value?.isPaused ?? false;
  const pause = () => void client.call("proxy.pause", { paused: !isPaused }).then(status.hear);
  return (
    <Card
      title={words.text("connect.proxy")}
      about={words.text("connect.proxy.about")}
      tone={port === null ? "err" : isPaused ? "warn" : "ok"}
      state={
        port === null
          ? words.text("connect.proxy.off")
          : words.text(isPaused ? "connect.proxy.paused" : "connect.proxy.on", { port: String(port) })
      }
    >
      <div className={styles.buttons}>
        <button type="button" className={parts.button} onClick={pause}>
          {words.text(isPaused ? "connect.resume" : "connect.pause")}
        </button>
      </div>
    </Card>
  );
}
