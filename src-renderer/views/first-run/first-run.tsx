/**
 * The first run: from nothing to the first answer. Every step can be skipped and taken up again; nothing is changed
 * before the button that says so. It shows itself while there is no channel, and never comes back by itself.
 */
import { type ReactNode, useState } from "react";
import { useStore } from "zustand";
import { useFrame } from "../../frame/frame.ts";
import { RichText, useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph, type Tone } from "../../parts/glyph.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { hashOf } from "../../stores/route.ts";
import parts from "../../styles/parts.module.css";
import { ChannelEditor } from "../channels/channel-editor.tsx";
import { TestPanel } from "../channels/test-panel.tsx";
import { Certificate } from "../connect/certificate.tsx";
import { CliCard, SdkCard } from "../connect/clients.tsx";
import { Ide } from "../connect/ide.tsx";
import { LanguageAndTheme } from "../settings/general.tsx";
import { useCall } from "../use-call.ts";
import styles from "./first-run.module.css";

const steps = ["welcome", "channel", "certificate", "client", "proof"] as const;
type Step = (typeof steps)[number];

const shown: { readonly [S in Step]: () => ReactNode } = {
  welcome: Welcome,
  channel: Channel,
  certificate: CertificateStep,
  client: Client,
  proof: Proof,
};

export function FirstRun({ onDone }: { readonly onDone: () => void }) {
  const words = useWords();
  const { preferences } = useFrame();
  const kept = useStore(preferences.store, ({ firstStep }) => firstStep);
  const step = steps.find((each) => each === kept) ?? "welcome";
  const setStep = (to: Step) => preferences.set({ firstStep: to });
  const at = steps.indexOf(step);
  const next = steps[at + 1];
  const before = steps[at - 1];
  const Shown = shown[step];
  return (
    <section className={styles.run} aria-label={words.text("first.title")}>
      <ol className={styles.steps}>
        {steps.map((each, index) => (
          <li key={each} aria-current={each === step ? "step" : undefined} data-done={index < at}>
            <button type="button" onClick={() => setStep(each)}>
              <span aria-hidden="true">{index + 1}</span>
              {words.text(`first.${each}`)}
            </button>
          </li>
        ))}
      </ol>
      <div className={styles.step}>
        <h2>{words.text(`first.${step}.title`)}</h2>
        <Shown />
        <div className={styles.actions}>
          {next && (
            <button type="button" className={parts.button} onClick={onDone}>
              {words.text("first.later")}
            </button>
          )}
          <span />
          {before && (
            <button type="button" className={parts.button} onClick={() => setStep(before)}>
              {words.text("action.back")}
            </button>
          )}
          <button type="button" className={parts.primary} onClick={next ? () => setStep(next) : onDone}>
            {words.text(next ? "first.next" : "first.done")}
          </button>
        </div>
      </div>
    </section>
  );
}

function Welcome() {
  const words = useWords();
  return (
    <>
      <ul className={styles.promises}>
        <li>{words.text("first.promise.models")}</li>
        <li>{words.text("first.promise.account")}</li>
        <li>{words.text("first.promise.undo")}</li>
      </ul>
      <LanguageAndTheme />
    </>
  );
}

/** The channel that was added last, with its test. */
function Channel() {
  const words = useWords();
  const { channels } = useFrame().stores;
  const state = useStore(channels.store);
  const list = state.type === "loaded" ? state.value : [];
  const newest = list.toSorted((a, b) => b.createdMs - a.createdMs)[0];
  if (!newest)
    return (
      <>
        <p>{words.text("first.channel.about")}</p>
        <ChannelEditor channel={null} onSaved={() => {}} />
      </>
    );
  return (
    <>
      <p>
        <RichText of="first.channel.there" fill={{ name: <Foreign text={newest.name} /> }} />
      </p>
      <TestPanel channel={newest} isDirty={false} onSave={async () => true} />
    </>
  );
}

function CertificateStep() {
  return <Certificate ca={useCall("ca.show", null)} />;
}

const ways = ["ide", "cli", "sdk"] as const;

function Client() {
  const words = useWords();
  const ca = useCall("ca.show", null);
  const setup = useCall("setup.status", null);
  const [way, setWay] = useState<(typeof ways)[number]>("ide");
  return (
    <Tabs
      label={words.text("first.client.title")}
      tabs={ways.map((key) => ({ key, title: words.text(`first.way.${key}`) }))}
      chosen={way}
      onChoose={setWay}
    >
      {way === "ide" && <Ide setup={setup} ca={ca} />}
      {way === "cli" && <CliCard ca={ca} />}
      {way === "sdk" && <SdkCard />}
    </Tabs>
  );
}

/** What Cursor does is seen here as it happens. */
function Proof() {
  const words = useWords();
  const { stores } = useFrame();
  const calls = useStore(stores.calls.store);
  const { hits } = useStore(stores.conversations.store);
  const [newest] = calls.type === "loaded" ? calls.value : [];
  const marks = [
    { name: "seen", isDone: hits.length > 0 },
    { name: "asked", isDone: newest !== undefined },
    { name: "token", isDone: newest?.firstTokenMs != null },
    { name: "finished", isDone: newest?.status === "committed" },
  ] as const;
  const toneOf = (isDone: boolean): Tone => {
    if (isDone) return "ok";
    return newest?.status === "failed" ? "err" : "off";
  };
  return (
    <>
      <p>{words.text("first.proof.about")}</p>
      <ol className={styles.marks} role="status">
        {marks.map(({ name, isDone }) => (
          <li key={name} data-done={isDone}>
            <Glyph tone={toneOf(isDone)} />
            {words.text(`first.proof.${name}`)}
          </li>
        ))}
      </ol>
      {newest?.status === "failed" && (
        <a className={parts.button} href={hashOf({ page: "inspector", id: newest.callId })}>
          {words.text("first.proof.why")}
        </a>
      )}
      {!newest && <Causes />}
    </>
  );
}

/** The likeliest reasons why nothing came, each with its way out. */
function Causes() {
  const words = useWords();
  const { stores, preferences } = useFrame();
  const status = useStore(stores.status.store);
  const isConnected = status.type !== "loaded" || status.value.isSetUp || status.value.keys > 0;
  return (
    <>
      <p>{words.text(isConnected ? "first.proof.causes" : "first.proof.unconnected")}</p>
      <div className={styles.actions}>
        <button
          type="button"
          className={parts.button}
          onClick={() => preferences.set({ firstStep: "client" satisfies Step })}
        >
          {words.text("first.proof.connect")}
        </button>
        <a className={parts.button} href={hashOf({ page: "connect", id: null })}>
          {words.text("first.proof.check")}
        </a>
      </div>
    </>
  );
}
