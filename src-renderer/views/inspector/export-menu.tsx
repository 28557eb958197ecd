/** Takes what is shown along: for other programs, for scripts, or for a report without what was said. */
import { Download } from "lucide-react";
import { useState } from "react";
import type { CallView, ExportSamples } from "../../../src-main/contract/calls.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { saveFile } from "../../parts/save-file.ts";
import parts from "../../styles/parts.module.css";
import styles from "./detail.module.css";

const formats: readonly ExportSamples["format"][] = ["report", "har", "jsonl"];
const mostCalls = 200;
const shownPreview = 4000;

export function ExportMenu({ calls }: { readonly calls: readonly CallView[] }) {
  const words = useWords();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={parts.button}
        onClick={() => setIsOpen(true)}
        disabled={calls.length === 0}
      >
        <Download size={14} aria-hidden="true" />
        {words.text("inspector.export")}
      </button>
      {isOpen && <ExportDialog calls={calls.slice(0, mostCalls)} onClose={() => setIsOpen(false)} />}
    </>
  );
}

interface ExportDialogProps {
  readonly calls: readonly CallView[];
  readonly onClose: () => void;
}

function ExportDialog({ calls, onClose }: ExportDialogProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const [format, setFormat] = useState<ExportSamples["format"]>("report");
  const [file, setFile] = useState<{ readonly name: string; readonly text: string } | null>(null);
  const make = (wanted: ExportSamples["format"]) => {
    setFormat(wanted);
    setFile(null);
  };
  const look = () =>
    void client
      .call("recording.export", { callIds: calls.map(({ callId }) => callId), format })
      .then(setFile);
  return (
    <Dialog
      title={words.plural("export.title", calls.length)}
      onClose={onClose}
      actions={
        <>
          <button type="button" className={parts.button} onClick={onClose}>
            {words.text("action.cancel")}
          </button>
          <button type="button" className={parts.button} onClick={look}>
            {words.text("export.preview")}
          </button>
          <button
            type="button"
            className={parts.primary}
            disabled={file === null}
            onClick={() => file && saveFile(file.name, file.text)}
          >
            {words.text("export.save")}
          </button>
        </>
      }
    >
      {formats.map((each) => (
        <label key={each} className={parts.choice}>
          <input type="radio" name="format" checked={format === each} onChange={() => make(each)} />
          <span>
            <strong>{words.text(`export.${each}`)}</strong>
            <small>{words.text(`export.${each}.about`)}</small>
          </span>
        </label>
      ))}
      {file && (
        <textarea
          className={styles.preview}
          readOnly
          aria-label={words.text("export.preview")}
          value={file.text.slice(0, shownPreview)}
        />
      )}
    </Dialog>
  );
}
