/** Which calls are recorded, in the place where people miss a recording. */
import { useEffect, useState } from "react";
import type { RecordingLevel, RecordingView } from "../../../src-main/contract/calls.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import parts from "../../styles/parts.module.css";
import styles from "./inspector.module.css";

const levels: readonly RecordingLevel[] = ["failures", "all", "none"];

export function RecordingNote() {
  const words = useWords();
  const { client } = useFrame().stores;
  const [recording, setRecording] = useState<RecordingView | null>(null);
  useEffect(() => {
    let isGone = false;
    client.call("recording.get", null).then(
      (view) => isGone || setRecording(view),
      () => {}, // said at the top of the window already
    );
    return () => {
      isGone = true;
    };
  }, [client]);
  if (!recording) return <p className={styles.note} />;
  const choose = (level: RecordingLevel) => void client.call("recording.set", { level }).then(setRecording);
  return (
    <p className={styles.note} data-off={recording.level === "none"}>
      <label>
        {words.text("recording.level")}
        <select
          className={parts.field}
          value={recording.level}
          onChange={({ target }) => choose(levels.find((level) => level === target.value) ?? "failures")}
        >
          {levels.map((level) => (
            <option key={level} value={level}>
              {words.text(`recording.${level}`)}
            </option>
          ))}
        </select>
      </label>
      <span>
        {words.plural("recording.stored", recording.calls, {
          size: words.bytes(recording.bytes),
          most: words.bytes(recording.keptBytes),
        })}
      </span>
      <span>{words.text("recording.promise")}</span>
    </p>
  );
}
