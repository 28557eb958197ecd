/** The certificate by which Cursor believes Ownkey: made here, for Cursor's hosts alone, trusted where the user says. */
import { useState } from "react";
import type { CaView, TrustStoreName } from "../../../src-main/contract/cursor.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { CommandLine } from "../../parts/command-line.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { CopyButton } from "../../parts/copy-button.tsx";
import type { Tone } from "../../parts/glyph.tsx";
import { inkText } from "../../parts/ink.ts";
import { Loaded } from "../../parts/panel.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import parts from "../../styles/parts.module.css";
import { useAttempt } from "../use-attempt.ts";
import type { Asked } from "../use-call.ts";
import { Card } from "./card.tsx";
import styles from "./connect.module.css";

export const isTrusted = ({ stores }: CaView): boolean => stores.some(({ trusted }) => trusted === true);

export function Certificate({ ca }: { readonly ca: Asked<CaView> }) {
  const words = useWords();
  const { tone, state } = stateOf(ca);
  return (
    <Card
      title={words.text("connect.certificate")}
      about={words.text("connect.certificate.about")}
      tone={tone}
      state={words.text(`connect.certificate.${state}`)}
    >
      <Loaded state={ca.state} failure={words.text("connect.unread")} onRetry={ca.load}>
        {(view) => <Details view={view} onChanged={ca.set} />}
      </Loaded>
    </Card>
  );
}

type State = "unknown" | "none" | "broken" | "due" | "trusted" | "untrusted";

function stateOf({ state }: Asked<CaView>): { readonly tone: Tone; readonly state: State } {
  if (state.type !== "loaded") return { tone: "off", state: "unknown" };
  const { value } = state;
  if (value.state === "none") return { tone: "off", state: "none" };
  if (value.state === "broken") return { tone: "err", state: "broken" };
  if (value.isDue) return { tone: "warn", state: "due" };
  return isTrusted(value) ? { tone: "ok", state: "trusted" } : { tone: "warn", state: "untrusted" };
}

interface DetailsProps {
  readonly view: CaView;
  readonly onChanged: (view: CaView) => void;
}

function Details({ view, onChanged }: DetailsProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const { isAtWork, error, run } = useAttempt();
  const open = view.stores.filter(({ trusted }) => trusted !== true);
  const [left, setLeft] = useState<readonly TrustStoreName[]>([]);
  const [isRemoving, setIsRemoving] = useState(false);
  const chosen = open.map(({ name }) => name).filter((name) => !left.includes(name));
  const install = (stores: readonly TrustStoreName[]) =>
    run(() => client.call("ca.install", { stores }).then(onChanged));
  return (
    <>
      {view.problem && <Sentence text={view.problem} />}
      {view.state === "ready" && <Facts view={view} />}
      <ul className={styles.stores}>
        {view.stores.map(({ name, title, trusted, manual }) => (
          <li key={name}>
            <label>
              <input
                type="checkbox"
                disabled={trusted === true}
                checked={trusted === true || !left.includes(name)}
                onChange={({ target }) =>
                  setLeft(target.checked ? left.filter((other) => other !== name) : [...left, name])
                }
              />
              <span title={inkText(title)}>{words.text(`connect.in.${name}`)}</span>
            </label>
            <small>
              {words.text(`connect.store.${trusted === null ? "unknown" : trusted ? "yes" : "no"}`)}
            </small>
            <details>
              <summary>{words.text("connect.manual")}</summary>
              {manual.map((line) => (
                <CommandLine key={line} command={line} />
              ))}
            </details>
          </li>
        ))}
      </ul>
      {open.length > 0 && <p className={parts.hint}>{words.text("connect.willAsk")}</p>}
      {error !== null && <Sentence text={error} />}
      <div className={styles.buttons}>
        {(open.length > 0 || view.isDue) && (
          <button
            type="button"
            className={parts.primary}
            disabled={isAtWork || (chosen.length === 0 && open.length > 0)}
            onClick={() => install(chosen)}
          >
            {words.text(isAtWork ? "connect.installing" : "connect.install")}
          </button>
        )}
        {view.state !== "ready" && (
          <button type="button" className={parts.button} disabled={isAtWork} onClick={() => install([])}>
            {words.text("connect.makeOnly")}
          </button>
        )}
        {view.state !== "none" && (
          <button type="button" className={parts.button} onClick={() => setIsRemoving(true)}>
            {words.text("connect.remove")}
          </button>
        )}
      </div>
      {view.file !== null && !isTrusted(view) && (
        <>
          <p>{words.text("connect.withoutStore")}</p>
          <CommandLine command={`NODE_EXTRA_CA_CERTS=${view.file}`} />
        </>
      )}
      {isRemoving && (
        <Confirm
          title={words.text("connect.removeTitle")}
          action={words.text("connect.remove")}
          isDangerous
          onConfirm={() => run(() => client.call("ca.remove", { forget: true }).then(onChanged))}
          onClose={() => setIsRemoving(false)}
        >
          <p>{words.text("connect.removeMeans")}</p>
        </Confirm>
      )}
    </>
  );
}

function Facts({ view: { sha256, endsMs } }: { readonly view: CaView }) {
  const words = useWords();
  return (
    <dl className={styles.facts}>
      <div>
        <dt>{words.text("connect.hosts")}</dt>
        <dd>
          <code>*.cursor.sh, *.cursor.com</code>
        </dd>
      </div>
      {endsMs !== null && (
        <div>
          <dt>{words.text("connect.until")}</dt>
          <dd>{words.date(endsMs)}</dd>
        </div>
      )}
      {sha256 !== null && (
        <div>
          <dt>SHA-256</dt>
          <dd>
            <code>{sha256}</code> <CopyButton text={sha256} />
          </dd>
        </div>
      )}
    </dl>
  );
}
