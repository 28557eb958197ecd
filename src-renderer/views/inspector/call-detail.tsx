/** All that is known of one call: what was sent, what came, what we made of it, what Cursor saw, when. */
import { X } from "lucide-react";
import { useCallback, useEffect, useState } from "react";
import { useStore } from "zustand";
import type { CallInspection, SampleView } from "../../../src-main/contract/calls.ts";
import { useFrame } from "../../frame/frame.ts";
import { useKeys } from "../../frame/keys.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Loaded } from "../../parts/panel.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { Tabs } from "../../parts/tabs.tsx";
import { hashOf } from "../../stores/route.ts";
import parts from "../../styles/parts.module.css";
import { failureOf } from "../failures.ts";
import { ChecksTab } from "./checks-tab.tsx";
import styles from "./detail.module.css";
import { EventsTab } from "./events-tab.tsx";
import { TimingTab } from "./timing-tab.tsx";
import { FramesTab, RequestTab, ResponseTab } from "./wire-tabs.tsx";

const tabs = ["events", "request", "response", "frames", "timing", "checks"] as const;
type TabName = (typeof tabs)[number];

export function CallDetail({ callId }: { readonly callId: string }) {
  const words = useWords();
  const { stores, route } = useFrame();
  useEffect(() => stores.inspection.open(callId), [stores, callId]);
  const { state } = useStore(stores.inspection.store);
  const close = useCallback(() => route.go("inspector"), [route]);
  useKeys(
    useCallback(
      (event) => {
        if (event.key !== "Escape") return false;
        close();
        return true;
      },
      [close],
    ),
  );
  return (
    <section className={styles.detail} aria-label={words.text("inspector.detail")}>
      <button type="button" className={styles.close} aria-label={words.text("action.close")} onClick={close}>
        <X size={16} aria-hidden="true" />
      </button>
      <Loaded
        state={state}
        failure={words.text("inspector.unreadable")}
        onRetry={() => void stores.inspection.load()}
      >
        {(inspection) => <Inspected inspection={inspection} />}
      </Loaded>
    </section>
  );
}

function Inspected({ inspection }: { readonly inspection: CallInspection }) {
  const words = useWords();
  const { call, title, samples } = inspection;
  const [chosen, setChosen] = useState<TabName>("events");
  const [attempt, setAttempt] = useState<number | null>(null);
  const sample = samples.find((each) => each.try === attempt) ?? samples.at(-1) ?? null;
  return (
    <>
      <header className={styles.detailHead}>
        <h2>
          <Foreign text={title ?? words.text("conversations.untitled")} />
        </h2>
        <a className={parts.button} href={hashOf({ page: "conversations", id: call.conversationId })}>
          {words.text("inspector.conversation")}
        </a>
        {samples.length > 1 && (
          <label className={styles.tries}>
            {words.text("inspector.try")}
            <select
              className={parts.field}
              value={sample?.try}
              onChange={({ target }) => setAttempt(Number(target.value))}
            >
              {samples.map((each) => (
                <option key={each.try} value={each.try}>
                  {each.try}
                </option>
              ))}
            </select>
          </label>
        )}
      </header>
      {call.error !== null && (
        <>
          <p>
            {words.text(failureOf(call.errorCode))}{" "}
            <a href={hashOf({ page: "channels", id: call.channelId })}>{words.text("failure.channel")}</a>
          </p>
          <Sentence text={call.error} />
        </>
      )}
      <Tabs
        label={words.text("inspector.detail")}
        tabs={tabs.map((key) => ({ key, title: words.text(`inspector.tab.${key}`) }))}
        chosen={chosen}
        onChoose={setChosen}
      >
        <Tab name={chosen} inspection={inspection} sample={sample} />
      </Tabs>
    </>
  );
}

interface TabProps {
  readonly name: TabName;
  readonly inspection: CallInspection;
  readonly sample: SampleView | null;
}

function Tab({ name, inspection, sample }: TabProps) {
  const words = useWords();
  const notRecorded = <p className={styles.nothing}>{words.text("inspector.notRecorded")}</p>;
  switch (name) {
    case "events":
      return sample ? <EventsTab sample={sample} /> : notRecorded;
    case "request":
      return sample ? <RequestTab sample={sample} /> : notRecorded;
    case "response":
      return sample ? <ResponseTab sample={sample} /> : notRecorded;
    case "frames":
      return sample ? <FramesTab sample={sample} /> : notRecorded;
    case "timing":
      return <TimingTab inspection={inspection} sample={sample} />;
    case "checks":
      return <ChecksTab inspection={inspection} />;
  }
}
