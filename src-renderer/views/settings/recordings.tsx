/** What is recorded of calls, how much of it there is, and a way to delete it. */
import { useState } from "react";
import type { RecordingLevel } from "../../../src-main/contract/calls.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Choice } from "../../parts/field.tsx";
import { Loaded } from "../../parts/panel.tsx";
import parts from "../../styles/parts.module.css";
import { useCall } from "../use-call.ts";
import styles from "./settings.module.css";

const levels: readonly RecordingLevel[] = ["failures", "all", "none"];
const dayMs = 86_400_000;

export function Recordings() {
  const words = useWords();
  const { client } = useFrame().stores;
  const recording = useCall("recording.get", null);
  const [isAsking, setIsAsking] = useState(false);
  const clear = () => void client.call("recording.clear", { callIds: null }).then(recording.set);
  return (
    <Loaded state={recording.state} failure={words.text("recording.failed")} onRetry={recording.load}>
      {({ level, calls, bytes, keptBytes, keptMs }) => (
        <div className={styles.form}>
          <p>{words.text("recording.about")}</p>
          <Choice
            legend={words.text("recording.level")}
            value={level}
            options={levels.map((value) => ({ value, label: words.text(`recording.${value}`) }))}
            onChange={(value) => void client.call("recording.set", { level: value }).then(recording.set)}
          />
          <p>
            {words.plural("recording.stored", calls, {
              size: words.bytes(bytes),
              most: words.bytes(keptBytes),
            })}{" "}
            {words.plural("recording.kept", Math.round(keptMs / dayMs))}
          </p>
          <button
            type="button"
            className={parts.button}
            disabled={calls === 0}
            onClick={() => setIsAsking(true)}
          >
            {words.text("recording.clear")}
          </button>
          {isAsking && (
            <Confirm
              title={words.plural("recording.clearTitle", calls)}
              action={words.text("action.delete")}
              isDangerous
              onConfirm={clear}
              onClose={() => setIsAsking(false)}
            >
              <p>{words.text("recording.clearMeans")}</p>
            </Confirm>
          )}
        </div>
      )}
    </Loaded>
  );
}
