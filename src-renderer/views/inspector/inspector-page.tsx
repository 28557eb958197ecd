/** The Inspector: every request to a model, and all that is known of one. */
import { PanelBottom, PanelRight, Pause, Play, Star } from "lucide-react";
import { useDeferredValue, useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { CallView } from "../../../src-main/contract/calls.ts";
import { useFrame, useRoute } from "../../frame/frame.ts";
import { Page } from "../../frame/page.tsx";
import { useWords } from "../../i18n/language.tsx";
import { Loaded } from "../../parts/panel.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import { readFilter } from "../../stores/call-filter.ts";
import parts from "../../styles/parts.module.css";
import { CallDetail } from "./call-detail.tsx";
import { CallGrid } from "./call-grid.tsx";
import { ExportMenu } from "./export-menu.tsx";
import styles from "./inspector.module.css";
import { RecordingNote } from "./recording-note.tsx";

export function InspectorPage() {
  const words = useWords();
  const { stores, preferences } = useFrame();
  const { id } = useRoute();
  const layout = useStore(preferences.store, ({ inspector }) => inspector);
  const state = useStore(stores.calls.store);
  return (
    <Page title={words.text("nav.inspector")} isTitleUnseen isFilled>
      <Loaded state={state} failure={words.text("calls.failed")} onRetry={() => void stores.calls.load()}>
        {(calls) => (
          <div className={styles.inspector} data-layout={layout} data-opened={id !== null}>
            <Calls calls={calls} opened={id} />
            {id !== null && <CallDetail callId={id} />}
          </div>
        )}
      </Loaded>
    </Page>
  );
}

interface CallsProps {
  readonly calls: readonly CallView[];
  readonly opened: string | null;
}

function Calls({ calls, opened }: CallsProps) {
  const words = useWords();
  const filters = useStore(useFrame().preferences.store, (preferences) => preferences.filters);
  const [text, setText] = useState("");
  const [paused, setPaused] = useState<readonly CallView[] | null>(null);
  const wanted = useDeferredValue(text);
  const all = paused ?? calls;
  const shown = useMemo(() => all.filter(readFilter(wanted)), [all, wanted]);
  return (
    <section className={styles.calls} aria-label={words.text("inspector.calls")}>
      <div className={styles.bar}>
        <SearchField label={words.text("inspector.filter")} value={text} onChange={setText} list={examplesId}>
          <datalist id={examplesId}>
            {[...filters, ...examples].map((filter) => (
              <option key={filter} value={filter} />
            ))}
          </datalist>
        </SearchField>
        <SaveFilter text={text.trim()} />
        <span role="status">
          {words.text("inspector.count", {
            shown: words.number(shown.length),
            all: words.number(all.length),
          })}
        </span>
        <button
          type="button"
          className={parts.button}
          aria-pressed={paused !== null}
          onClick={() => setPaused(paused ? null : calls)}
        >
          {paused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
          {words.text(paused ? "inspector.resume" : "inspector.pause")}
        </button>
        <ExportMenu calls={shown} />
        <LayoutButton />
      </div>
      <RecordingNote />
      {shown.length === 0 ? (
        <Nothing isFiltered={all.length > 0} all={all.length} onClear={() => setText("")} />
      ) : (
        <CallGrid calls={shown} opened={opened} />
      )}
    </section>
  );
}

const examplesId = "inspector-filters";
const examples = [
  "status:failed",
  "status:running",
  "status:retried",
  "channel:",
  "model:",
  "ms>5000",
  "tokens>50000",
];

/** Kept filters are offered first while one is being typed. */
function SaveFilter({ text }: { readonly text: string }) {
  const words = useWords();
  const { preferences } = useFrame();
  const filters = useStore(preferences.store, (all) => all.filters);
  if (text === "") return null;
  const isKept = filters.includes(text);
  return (
    <button
      type="button"
      className={parts.button}
      aria-pressed={isKept}
      aria-label={words.text(isKept ? "inspector.forgetFilter" : "inspector.keepFilter")}
      title={words.text(isKept ? "inspector.forgetFilter" : "inspector.keepFilter")}
      onClick={() =>
        preferences.set({ filters: isKept ? filters.filter((kept) => kept !== text) : [...filters, text] })
      }
    >
      <Star size={14} fill={isKept ? "currentColor" : "none"} aria-hidden="true" />
    </button>
  );
}

interface NothingProps {
  readonly isFiltered: boolean;
  readonly all: number;
  readonly onClear: () => void;
}

function Nothing({ isFiltered, all, onClear }: NothingProps) {
  const words = useWords();
  if (!isFiltered) return <p className={styles.nothing}>{words.text("inspector.none")}</p>;
  return (
    <div className={styles.nothing}>
      <p>{words.text("inspector.noHit", { all: words.number(all) })}</p>
      <button type="button" className={parts.button} onClick={onClear}>
        {words.text("inspector.clearFilter")}
      </button>
    </div>
  );
}

function LayoutButton() {
  const words = useWords();
  const { preferences } = useFrame();
  const layout = useStore(preferences.store, ({ inspector }) => inspector);
  const other = layout === "right" ? "bottom" : "right";
  const Icon = other === "right" ? PanelRight : PanelBottom;
  useEffect(() => {
    // A narrow window has no room at its side, whatever was chosen in a wide one.
    if (layout === "right" && innerWidth < 1000) preferences.set({ inspector: "bottom" });
  }, [layout, preferences]);
  return (
    <button
      type="button"
      className={`${parts.button} ${styles.layout}`}
      aria-label={words.text(`inspector.layout.${other}`)}
      title={words.text(`inspector.layout.${other}`)}
      onClick={() => preferences.set({ inspector: other })}
    >
      <Icon size={14} aria-hidden="true" />
    </button>
  );
}
