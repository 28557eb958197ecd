/** The models that a server offers, fetched when somebody asks; a new channel may take several, one channel each. */
import { useState } from "react";
import type { ChannelView, ModelList, ModelView } from "../../../src-main/contract/channels.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { messageOf } from "../../stores/shadow.ts";
import parts from "../../styles/parts.module.css";
import { calledUrl } from "./called.ts";
import type { PartProps } from "./draft.ts";
import styles from "./editor.module.css";
import { probeOf } from "./probe.ts";

interface ModelPickerProps extends PartProps {
  readonly channel: ChannelView | null;
  readonly models: readonly string[];
  readonly onModels: (models: readonly string[]) => void;
}

export function ModelPicker({ draft, set, channel, models, onModels }: ModelPickerProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const [list, setList] = useState<ModelList | "asking" | null>(null);
  const ask = () => {
    setList("asking");
    client
      .call("channels.models", probeOf(draft, channel))
      .then(setList, (reason: unknown) =>
        setList({ ok: false, problem: "other", message: messageOf(reason) }),
      );
  };
  const take = ({ id, contextWindow, maxOutputTokens }: ModelView) => {
    const chosen = models.length === 0 ? [draft.fields.model].filter((model) => model !== "") : models;
    const isOff = chosen.includes(id);
    const next = channel ? [id] : isOff ? chosen.filter((model) => model !== id) : [...chosen, id];
    onModels(channel ? [] : next);
    const model = next[0] ?? "";
    const known = { ...(contextWindow && { contextWindow }), ...(maxOutputTokens && { maxOutputTokens }) };
    set({ model, ...(next.length === 1 && !isOff ? known : {}) });
  };
  const isAsking = list === "asking";
  return (
    <div className={styles.picker}>
      <button
        type="button"
        className={parts.button}
        disabled={calledUrl(draft.fields) === null || isAsking}
        onClick={ask}
      >
        {words.text(isAsking ? "form.fetching" : "form.fetch")}
      </button>
      {list !== null && list !== "asking" && !list.ok && (
        <p role="status" className={styles.warning}>
          <strong>{words.text(`form.fetch.${list.problem}`)}</strong> <Foreign text={list.message} />
        </p>
      )}
      {list !== null && list !== "asking" && list.ok && (
        <Offered
          list={list.models}
          chosen={models.length === 0 ? [draft.fields.model] : models}
          isSeveral={channel === null}
          onTake={take}
        />
      )}
    </div>
  );
}

interface OfferedProps {
  readonly list: readonly ModelView[];
  readonly chosen: readonly string[];
  readonly isSeveral: boolean;
  readonly onTake: (model: ModelView) => void;
}

const mostShown = 200;

function Offered({ list, chosen, isSeveral, onTake }: OfferedProps) {
  const words = useWords();
  const [wanted, setWanted] = useState("");
  const found = list.filter(({ id }) => id.toLowerCase().includes(wanted.trim().toLowerCase()));
  if (list.length === 0) return <p className={parts.hint}>{words.text("form.noModels")}</p>;
  return (
    <fieldset className={styles.models}>
      <legend>{words.plural("form.models", list.length)}</legend>
      {list.length > 8 && (
        <input
          type="search"
          className={parts.field}
          aria-label={words.text("form.findModel")}
          placeholder={words.text("form.findModel")}
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
      )}
      <ul>
        {found.slice(0, mostShown).map((model) => (
          <li key={model.id}>
            <label>
              <input
                type={isSeveral ? "checkbox" : "radio"}
                checked={chosen.includes(model.id)}
                onChange={() => onTake(model)}
              />
              <code>
                <Foreign text={model.id} />
              </code>
              {model.contextWindow !== null && <small>{words.compact(model.contextWindow)}</small>}
            </label>
          </li>
        ))}
      </ul>
      {isSeveral && <p className={parts.hint}>{words.text("form.several")}</p>}
    </fieldset>
  );
}
