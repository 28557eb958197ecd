/** How the agent works: when it sums a conversation up, and who does Cursor's small calls. */
import { useStore } from "zustand";
import type { ChannelView } from "../../../src-main/contract/channels.ts";
import type { Settings } from "../../../src-main/contract/program.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { NumberField, SelectField } from "../../parts/field.tsx";
import { inkText } from "../../parts/ink.ts";
import { Loaded } from "../../parts/panel.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { useAttempt } from "../use-attempt.ts";
import { useCall } from "../use-call.ts";
import styles from "./settings.module.css";

export function Agent() {
  const words = useWords();
  const { client, channels } = useFrame().stores;
  const settings = useCall("settings.get", null);
  const list = useStore(channels.store);
  const { error, run } = useAttempt();
  const set = (change: Partial<Settings>) =>
    run(() => client.call("settings.set", change).then(settings.set));
  return (
    <div className={styles.form}>
      <Loaded state={settings.state} failure={words.text("data.failed")} onRetry={settings.load}>
        {({ compactPercent, smallCalls }) => (
          <>
            <NumberField
              label={words.text("data.compact")}
              hint={words.text("data.compactHint")}
              min={10}
              max={100}
              step={1}
              none={85}
              value={compactPercent}
              onChange={(percent) => set({ compactPercent: percent })}
            />
            <SmallCalls
              chosen={smallCalls}
              channels={list.type === "loaded" ? list.value : []}
              onChoose={(id) => set({ smallCalls: id })}
            />
          </>
        )}
      </Loaded>
      {error !== null && <Sentence text={error} />}
    </div>
  );
}

interface SmallCallsProps {
  readonly chosen: string | null;
  readonly channels: readonly ChannelView[];
  readonly onChoose: (id: string | null) => void;
}

function SmallCalls({ chosen, channels, onChoose }: SmallCallsProps) {
  const words = useWords();
  return (
    <SelectField
      label={words.text("agent.smallCalls")}
      hint={words.text("agent.smallCallsHint")}
      value={channels.some(({ id }) => id === chosen) ? (chosen ?? "") : ""}
      options={[
        { value: "", label: words.text("agent.smallCalls.cursor") },
        ...channels.map(({ id, name }) => ({ value: id, label: inkText(name) })),
      ]}
      onChange={(id) => onChoose(id === "" ? null : id)}
    />
  );
}
