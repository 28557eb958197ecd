/** Cursor's settings: what would be changed is shown before, and taken back at will. */
import { useEffect, useState } from "react";
import type { CaView, SetupPlan, SetupStatus, SetupTarget } from "../../../src-main/contract/cursor.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Switch, TextField } from "../../parts/field.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Glyph, type Tone } from "../../parts/glyph.tsx";
import { Loaded } from "../../parts/panel.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import { DiffView } from "../../parts/text/diff-view.tsx";
import parts from "../../styles/parts.module.css";
import { useAttempt } from "../use-attempt.ts";
import type { Asked } from "../use-call.ts";
import { Card } from "./card.tsx";
import { isTrusted } from "./certificate.tsx";
import styles from "./connect.module.css";

interface IdeProps {
  readonly setup: Asked<SetupStatus>;
  readonly ca: Asked<CaView>;
}

export function Ide({ setup, ca }: IdeProps) {
  const words = useWords();
  const { tone, state } = stateOf(setup);
  return (
    <Card
      title={words.text("connect.ide")}
      about={words.text("connect.ide.about")}
      tone={tone}
      state={words.text(`connect.ide.${state}`)}
    >
      <Loaded state={setup.state} failure={words.text("connect.unread")} onRetry={setup.load}>
        {(view) => (view.isApplied ? <Applied view={view} setup={setup} /> : <Open setup={setup} ca={ca} />)}
      </Loaded>
    </Card>
  );
}

function stateOf({ state }: Asked<SetupStatus>): {
  readonly tone: Tone;
  readonly state: "unknown" | "on" | "changed" | "off";
} {
  if (state.type !== "loaded") return { tone: "off", state: "unknown" };
  if (!state.value.isApplied) return { tone: "off", state: "off" };
  return state.value.changed.length > 0 ? { tone: "warn", state: "changed" } : { tone: "ok", state: "on" };
}

function Open({ setup, ca }: IdeProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const { isAtWork, error, run } = useAttempt();
  const [settings, setSettings] = useState("");
  const [plan, setPlan] = useState<SetupPlan | null>(null);
  const [untrusted, setUntrusted] = useState(false);
  const target: SetupTarget = { settings: settings.trim() === "" ? null : settings.trim(), home: null };
  const trusted = ca.state.type === "loaded" && isTrusted(ca.state.value);
  const apply = async () => {
    await client.call("setup.apply", { ...target, untrusted });
    setup.load();
  };
  return (
    <>
      {plan && <Changes plan={plan} />}
      {plan && !trusted && (
        <Switch label={words.text("connect.untrusted")} checked={untrusted} onChange={setUntrusted} />
      )}
      {error !== null && <Sentence text={error} />}
      <div className={styles.buttons}>
        {plan ? (
          <>
            <button
              type="button"
              className={parts.primary}
              disabled={isAtWork || !(trusted || untrusted)}
              onClick={() => run(apply)}
            >
              {words.text("connect.apply")}
            </button>
            <button type="button" className={parts.button} onClick={() => setPlan(null)}>
              {words.text("action.cancel")}
            </button>
            {!(trusted || untrusted) && (
              <span className={parts.hint}>{words.text("connect.certificateFirst")}</span>
            )}
          </>
        ) : (
          <button
            type="button"
            className={parts.primary}
            disabled={isAtWork}
            onClick={() => run(() => client.call("setup.plan", target).then(setPlan))}
          >
            {words.text("connect.plan")}
          </button>
        )}
      </div>
      {!plan && (
        <details className={styles.elsewhere}>
          <summary>{words.text("connect.elsewhere")}</summary>
          <TextField
            label={words.text("connect.settingsFile")}
            hint={words.text("connect.settingsFileHint")}
            spellCheck={false}
            value={settings}
            onChange={setSettings}
          />
        </details>
      )}
    </>
  );
}

function Changes({
  plan: { file, isNew, changes, upstreamProxy, loginEntry },
}: {
  readonly plan: SetupPlan;
}) {
  const words = useWords();
  const lines = (side: "before" | "after") =>
    changes
      .filter((change) => change[side] !== null)
      .map((change) => `${JSON.stringify(change.key)}: ${JSON.stringify(change[side])}\n`)
      .join("");
  return (
    <>
      <p>
        {words.text(isNew ? "connect.newFile" : "connect.file")}{" "}
        <code>
          <Foreign text={file} />
        </code>
      </p>
      <DiffView before={lines("before")} after={lines("after")} />
      {loginEntry !== null && (
        <p>
          {words.text("connect.loginEntry")}{" "}
          <code>
            <Foreign text={loginEntry} />
          </code>
        </p>
      )}
      {upstreamProxy !== null && <p>{words.text("connect.chained", { proxy: upstreamProxy })}</p>}
    </>
  );
}

function Applied({ view, setup }: { readonly view: SetupStatus } & Pick<IdeProps, "setup">) {
  const words = useWords();
  const { client } = useFrame().stores;
  const { isAtWork, error, run } = useAttempt();
  const [left, setLeft] = useState<readonly string[]>([]);
  const undo = async () => {
    const undone = await client.call("setup.undo", null);
    setLeft(undone?.left ?? []);
    setup.load();
  };
  const again = async () => {
    await undo();
    await client.call("setup.again", null);
    setup.load();
  };
  return (
    <>
      <p>
        {words.text("connect.file")}{" "}
        <code>
          <Foreign text={view.file ?? ""} />
        </code>
      </p>
      {view.changed.length > 0 && (
        <p className={styles.warning}>
          {words.text("connect.changed")} <Foreign text={view.changed.join(", ")} />
        </p>
      )}
      {left.length > 0 && (
        <p className={styles.warning}>
          {words.text("connect.left")} <Foreign text={left.join(", ")} />
        </p>
      )}
      <p>{words.text("connect.restart")}</p>
      <Restarted seenMs={view.seenMs} onLook={setup.load} />
      {error !== null && <Sentence text={error} />}
      <div className={styles.buttons}>
        <button type="button" className={parts.button} disabled={isAtWork} onClick={() => run(undo)}>
          {words.text("connect.undo")}
        </button>
        {view.changed.length > 0 && (
          <button type="button" className={parts.button} disabled={isAtWork} onClick={() => run(again)}>
            {words.text("connect.again")}
          </button>
        )}
      </div>
    </>
  );
}

/** Whether Cursor was really started anew: it has come through the proxy. */
function Restarted({ seenMs, onLook }: { readonly seenMs: number | null; readonly onLook: () => void }) {
  const words = useWords();
  useEffect(() => {
    if (seenMs !== null) return;
    const timer = setInterval(onLook, lookMs);
    return () => clearInterval(timer);
  }, [seenMs, onLook]);
  return (
    <p role="status" className={styles.restarted}>
      <Glyph tone={seenMs === null ? "busy" : "ok"} />
      {seenMs === null
        ? words.text("connect.unseen")
        : words.text("connect.seen", { time: words.time(seenMs, Date.now()) })}
    </p>
  );
}

const lookMs = 2000;
