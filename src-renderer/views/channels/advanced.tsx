/** What most people never change of a channel. */
import type { ReactNode } from "react";
import type { ChannelFields, ChannelView } from "../../../src-main/contract/channels.ts";
import { useWords } from "../../i18n/language.tsx";
import type { PlainKey } from "../../i18n/words.ts";
import { Field, NumberField, SelectField, TextField } from "../../parts/field.tsx";
import parts from "../../styles/parts.module.css";
import type { PartProps } from "./draft.ts";
import styles from "./editor.module.css";
import { HeaderTable } from "./header-table.tsx";
import { Instructions } from "./model-part.tsx";
import { PriceFields } from "./price-fields.tsx";

interface AdvancedProps extends PartProps {
  readonly channel: ChannelView | null;
}

export function Advanced({ channel, ...part }: AdvancedProps) {
  const words = useWords();
  const { problems } = part;
  const isWrong = problems.extraBody !== undefined || problems.maxOutputTokens !== undefined;
  return (
    <details className={styles.advanced} open={isWrong || undefined}>
      <summary>{words.text("form.more")}</summary>
      <Group title="form.group.cursor">
        <Shown {...part} />
        <Instructions {...part} />
      </Group>
      <Group title="form.group.answer">
        <Answer {...part} />
      </Group>
      <Group title="form.group.request">
        <Auth {...part} />
        <HeaderTable {...part} channel={channel} />
        <Body {...part} />
      </Group>
      <Group title="form.group.limits">
        <Limits {...part} />
      </Group>
      <Group title="form.group.network">
        <Way {...part} channel={channel} />
      </Group>
      <Group title="form.group.prices">
        <PriceFields {...part} />
      </Group>
      <Group title="form.group.note">
        <Note {...part} />
      </Group>
    </details>
  );
}

function Group({ title, children }: { readonly title: PlainKey; readonly children: ReactNode }) {
  return (
    <fieldset className={styles.group}>
      <legend>{useWords().text(title)}</legend>
      {children}
    </fieldset>
  );
}

function Shown({ draft: { fields }, set }: PartProps) {
  const words = useWords();
  return (
    <TextField
      label={words.text("form.label")}
      hint={words.text("form.labelHint", { name: fields.label || fields.name || "…" })}
      maxLength={100}
      placeholder={fields.name}
      value={fields.label}
      onChange={(label) => set({ label })}
    />
  );
}

function Answer({ draft: { fields }, problems, set }: PartProps) {
  const words = useWords();
  const { maxOutputTokens: problem } = problems;
  return (
    <div className={styles.three}>
      <NumberField
        label={words.text("form.maxOutput")}
        hint={words.text("form.maxOutputHint")}
        error={problem ? words.text(problem) : null}
        min={1}
        none={null}
        value={fields.maxOutputTokens}
        onChange={(maxOutputTokens) => set({ maxOutputTokens })}
      />
      <NumberField
        label={words.text("form.temperature")}
        hint={words.text("form.notSent")}
        min={0}
        max={2}
        none={null}
        value={fields.temperature}
        onChange={(temperature) => set({ temperature })}
      />
      <NumberField
        label={words.text("form.topP")}
        hint={words.text("form.notSent")}
        min={0}
        max={1}
        none={null}
        value={fields.topP}
        onChange={(topP) => set({ topP })}
      />
    </div>
  );
}

const auths = ["format", "bearer", "x-api-key", "x-goog-api-key", "header"] as const;

function Auth({ draft: { fields }, set }: PartProps) {
  const words = useWords();
  const isHeader = fields.auth.startsWith("header:");
  return (
    <div className={styles.pair}>
      <SelectField
        label={words.text("form.auth")}
        value={isHeader ? "header" : (fields.auth as Exclude<ChannelFields["auth"], `header:${string}`>)}
        options={auths.map((value) => ({ value, label: words.text(`form.auth.${value}`) }))}
        onChange={(value) => set({ auth: value === "header" ? "header:api-key" : value })}
      />
      {isHeader && (
        <TextField
          label={words.text("form.authHeader")}
          spellCheck={false}
          value={fields.auth.slice("header:".length)}
          onChange={(name) => set({ auth: `header:${name}` })}
        />
      )}
    </div>
  );
}

function Body({ draft, problems, change }: PartProps) {
  const words = useWords();
  const { extraBody: problem } = problems;
  return (
    <Field
      label={words.text("form.body")}
      hint={words.text("form.bodyHint")}
      error={problem ? words.text(problem) : null}
    >
      {(ids) => (
        <textarea
          {...ids}
          rows={4}
          spellCheck={false}
          className={`${parts.field} ${styles.code}`}
          placeholder={'{ "seed": 7 }'}
          value={draft.body}
          onChange={({ target }) => change({ body: target.value })}
        />
      )}
    </Field>
  );
}

const waits = ["connectTimeout", "firstTokenTimeout", "idleTimeout"] as const;

function Limits({ draft: { fields }, set }: PartProps) {
  const words = useWords();
  return (
    <>
      <div className={styles.three}>
        {waits.map((name) => (
          <NumberField
            key={name}
            label={words.text(`form.${name}`)}
            min={1}
            max={3600}
            none={120}
            value={fields[name]}
            onChange={(seconds) => set({ [name]: seconds })}
          />
        ))}
      </div>
      <div className={styles.pair}>
        <NumberField
          label={words.text("form.tries")}
          hint={words.text("form.triesHint")}
          min={1}
          max={5}
          step={1}
          none={4}
          value={fields.tries}
          onChange={(tries) => set({ tries })}
        />
        <NumberField
          label={words.text("form.concurrency")}
          hint={words.text("form.concurrencyHint")}
          min={1}
          max={64}
          step={1}
          none={null}
          value={fields.concurrency}
          onChange={(concurrency) => set({ concurrency })}
        />
      </div>
    </>
  );
}

const ways = ["app", "none", "own"] as const;

function Way({ draft, set, change, channel }: AdvancedProps) {
  const words = useWords();
  const { fields } = draft;
  const isOwn = fields.proxy !== "app" && fields.proxy !== "none";
  const isKept = channel?.hasSecrets.proxy === true;
  return (
    <>
      <SelectField
        label={words.text("form.proxy")}
        value={isOwn ? "own" : (fields.proxy as "app" | "none")}
        options={ways.map((value) => ({ value, label: words.text(`form.proxy.${value}`) }))}
        onChange={(value) => set({ proxy: value === "own" ? "http://" : value })}
      />
      {isOwn && (
        <div className={styles.pair}>
          <TextField
            label={words.text("form.proxyUrl")}
            hint="http://127.0.0.1:7890"
            type="url"
            spellCheck={false}
            value={fields.proxy}
            onChange={(proxy) => set({ proxy })}
          />
          <TextField
            label={words.text("form.proxyPassword")}
            hint={words.text(isKept ? "form.kept" : "form.proxyPasswordHint")}
            type="password"
            autoComplete="off"
            value={draft.proxyPassword}
            onChange={(proxyPassword) => change({ proxyPassword })}
          />
        </div>
      )}
      <TextField
        label={words.text("form.caFile")}
        hint={words.text("form.caFileHint")}
        spellCheck={false}
        value={fields.caFile ?? ""}
        onChange={(path) => set({ caFile: path === "" ? null : path })}
      />
    </>
  );
}

const colours = ["red", "orange", "green", "teal", "blue", "purple", "pink", "grey"] as const;

function Note({ draft: { fields }, set }: PartProps) {
  const words = useWords();
  return (
    <>
      <TextField
        label={words.text("form.note")}
        maxLength={500}
        value={fields.note}
        onChange={(note) => set({ note })}
      />
      <fieldset className={styles.colours}>
        <legend>{words.text("form.colour")}</legend>
        {[null, ...colours].map((colour) => (
          <label
            key={colour}
            data-colour={colour ?? undefined}
            title={words.text(`form.colour.${colour ?? "none"}`)}
          >
            <input
              type="radio"
              name="colour"
              aria-label={words.text(`form.colour.${colour ?? "none"}`)}
              checked={fields.colour === colour}
              onChange={() => set({ colour })}
            />
          </label>
        ))}
      </fieldset>
    </>
  );
}
