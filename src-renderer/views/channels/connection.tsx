/** Where a channel leads: provider, name, format, address, key. */
import { useState } from "react";
import type {
  ChannelFormat,
  ChannelView,
  DetectedFormat,
  Preset,
} from "../../../src-main/contract/channels.ts";
import { useFrame } from "../../frame/frame.ts";
import { RichText, useWords } from "../../i18n/language.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Choice, Switch, TextField } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph } from "../../parts/glyph.tsx";
import { messageOf } from "../../stores/shadow.ts";
import parts from "../../styles/parts.module.css";
import { useCall } from "../use-call.ts";
import { calledUrl, isReadableByOthers } from "./called.ts";
import type { PartProps } from "./draft.ts";
import styles from "./editor.module.css";
import { KeyField } from "./key-field.tsx";
import { probeOf } from "./probe.ts";

const formatTitles: { readonly [F in ChannelFormat]: string } = {
  "openai-chat": "OpenAI Chat",
  "openai-responses": "OpenAI Responses",
  anthropic: "Anthropic Messages",
  gemini: "Gemini",
};

export function Connection({ channel, ...part }: PartProps & { readonly channel: ChannelView | null }) {
  const words = useWords();
  const { draft, problems, set } = part;
  const { fields } = draft;
  const presets = useCall("presets.list", null);
  const list = presets.state.type === "loaded" ? presets.state.value : [];
  const preset = list.find(({ baseUrl }) => baseUrl !== "" && baseUrl === fields.baseUrl) ?? null;
  const called = calledUrl(fields);
  // Who picked a provider has only a key to give; once opened it stays so, whatever is typed.
  const [isOpened, setIsOpened] = useState(false);
  const problem = (name: keyof typeof problems) => {
    const key = problems[name];
    return key ? words.text(key) : null;
  };
  const isKnown = channel === null && preset !== null && !isOpened && !problems.name && !problems.baseUrl;
  const key = <KeyField {...part} channel={channel} keyUrl={preset?.keyUrl ?? null} error={problem("key")} />;
  if (isKnown)
    return (
      <>
        <Presets {...part} presets={list} chosen={preset} />
        <p className={styles.known}>
          <RichText of="form.known" fill={{ name: <Foreign text={fields.name} /> }} />
          <button type="button" className={parts.quiet} onClick={() => setIsOpened(true)}>
            {words.text("form.change")}
          </button>
          <code>→ POST {called}</code>
        </p>
        {key}
      </>
    );
  return (
    <>
      {channel === null && <Presets {...part} presets={list} chosen={preset} />}
      <TextField
        label={words.text("form.name")}
        hint={words.text("form.nameHint")}
        error={problem("name")}
        required
        maxLength={100}
        value={fields.name}
        onChange={(name) => set({ name })}
      />
      <Choice
        legend={words.text("form.format")}
        value={fields.format}
        options={(Object.keys(formatTitles) as ChannelFormat[]).map((value) => ({
          value,
          label: formatTitles[value],
        }))}
        onChange={(format) => set({ format })}
      />
      <TextField
        label={words.text("form.baseUrl")}
        hint={called === null ? words.text("form.baseUrlHint") : <code>→ POST {called}</code>}
        error={problem("baseUrl")}
        type="url"
        required
        spellCheck={false}
        value={fields.baseUrl}
        onChange={(baseUrl) => set({ baseUrl })}
        beside={<Detect {...part} channel={channel} />}
      />
      {isReadableByOthers(fields.baseUrl) && (
        <Switch
          label={words.text("form.plainHttp")}
          checked={fields.allowsPlainHttp}
          onChange={(allowsPlainHttp) => set({ allowsPlainHttp })}
        />
      )}
      {key}
    </>
  );
}

interface PresetsProps extends PartProps {
  readonly presets: readonly Preset[];
  readonly chosen: Preset | null;
}

function Presets({ draft, set, change, presets, chosen }: PresetsProps) {
  const words = useWords();
  const [asked, setAsked] = useState<Preset | null>(null);
  const take = (preset: Preset) => {
    const { title, format, baseUrl, needsKey } = preset;
    const isOwnName = draft.fields.name !== "" && !presets.some((other) => other.title === draft.fields.name);
    const name = preset.baseUrl === "" ? "" : title;
    set({ format, baseUrl, ...(isOwnName ? {} : { name }) });
    change({ wantsKey: needsKey });
  };
  const isOwnUrl = draft.fields.baseUrl !== "" && chosen === null;
  return (
    <fieldset className={styles.tiles}>
      <legend>{words.text("form.preset")}</legend>
      {presets.map((preset) => (
        <button
          key={preset.id}
          type="button"
          className={parts.button}
          aria-pressed={preset === chosen}
          onClick={() => (isOwnUrl ? setAsked(preset) : take(preset))}
        >
          {preset.baseUrl === "" ? words.text("form.otherPreset") : preset.title}
        </button>
      ))}
      {asked && (
        <Confirm
          title={words.text("form.presetTitle")}
          action={words.text("form.presetTake")}
          onConfirm={() => take(asked)}
          onClose={() => setAsked(null)}
        >
          <p>{words.text("form.presetMeans", { address: draft.fields.baseUrl })}</p>
        </Confirm>
      )}
    </fieldset>
  );
}

/** Which formats the server speaks, when somebody asks. */
function Detect({ draft, set, channel }: PartProps & { readonly channel: ChannelView | null }) {
  const words = useWords();
  const { client } = useFrame().stores;
  const [found, setFound] = useState<readonly DetectedFormat[] | string | "asking" | null>(null);
  const ask = () => {
    setFound("asking");
    client
      .call("channels.detect", probeOf(draft, channel))
      .then(setFound, (reason: unknown) => setFound(messageOf(reason)));
  };
  const isAsking = found === "asking";
  return (
    <span className={styles.detect}>
      <button
        type="button"
        className={parts.button}
        disabled={calledUrl(draft.fields) === null || isAsking}
        onClick={ask}
      >
        {words.text(isAsking ? "form.detecting" : "form.detect")}
      </button>
      {found !== null && !isAsking && (
        <span role="status" className={styles.found}>
          {typeof found === "string" && <Foreign text={found} />}
          {typeof found !== "string" &&
            found.map(({ format, status, isLikely, message }) => (
              <span key={format}>
                <Glyph tone={isLikely ? "ok" : "off"} />
                <strong>{formatTitles[format]}</strong>
                <Foreign text={isLikely ? words.text("form.speaks") : `${status ?? "–"} ${message}`} />
                {isLikely && (
                  <button type="button" className={parts.quiet} onClick={() => set({ format })}>
                    {words.text("form.use")}
                  </button>
                )}
              </span>
            ))}
        </span>
      )}
    </span>
  );
}
