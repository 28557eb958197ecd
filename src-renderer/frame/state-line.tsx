/** The top of the window: does Cursor reach my models right now, and if not, what is to be done? */
import { useStore } from "zustand";
import type { Status } from "../../src-main/contract/program.ts";
import { useWords } from "../i18n/language.tsx";
import type { Words } from "../i18n/words.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { commands } from "../parts/commands.ts";
import { Glyph, type Tone } from "../parts/glyph.tsx";
import { type Health, healthOf } from "../stores/health.ts";
import { hashOf } from "../stores/route.ts";
import type { Stores } from "../stores/stores.ts";
import parts from "../styles/parts.module.css";
import styles from "./frame.module.css";
import { useFrame } from "./frame.ts";

export function StateLine({ stores }: { readonly stores: Stores }) {
  const words = useWords();
  const link = useStore(stores.link);
  const status = useStore(stores.status.store);
  const channels = useStore(stores.channels.store);
  const health = healthOf(link, status, channels);
  const facts = "status" in health ? factsOf(health.status, words) : [];
  return (
    <header className={styles.header}>
      <div className={styles.line}>
        <p role="status" className={styles.state} data-tone={tones[health.type]}>
          <Glyph tone={tones[health.type]} />
          <strong>{titleOf(health, words)}</strong>
          {facts.map((fact) => (
            <span key={fact} className={styles.fact}>
              {fact}
            </span>
          ))}
        </p>
      </div>
      <Remedy health={health} />
    </header>
  );
}

const tones: Readonly<Record<Health["type"], Tone>> = {
  connecting: "busy",
  unreachable: "err",
  unknown: "warn",
  working: "ok",
  no_port: "err",
  paused: "warn",
  no_channel: "warn",
  all_off: "warn",
  no_usable_key: "warn",
  not_connected: "warn",
};

const titleOf = (health: Health, words: Words): string =>
  health.type === "unreachable"
    ? words.text("health.unreachable", { time: words.time(health.sinceMs, Date.now()) })
    : words.text(`health.${health.type}`);

function factsOf({ port, channels, runs }: Status, words: Words): readonly string[] {
  const { enabled, total } = channels;
  const offered =
    enabled === total
      ? words.plural("health.channels", total)
      : words.plural("health.channelsOn", enabled, { total: words.number(total) });
  return [
    port === null ? null : `127.0.0.1:${port}`,
    total === 0 ? null : offered,
    runs === 0 ? null : words.plural("health.runs", runs),
  ].filter((fact) => fact !== null);
}

function Remedy({ health }: { readonly health: Health }) {
  const words = useWords();
  const { client, status } = useFrame().stores;
  switch (health.type) {
    case "no_port":
      return (
        <div className={styles.remedy}>
          <p>{words.text("health.no_port.remedy")}</p>
          <CommandLine command={commands.serveAnywhere} />
        </div>
      );
    case "paused":
      return (
        <div className={styles.remedy}>
          <p>{words.text("health.paused.remedy")}</p>
          <button
            type="button"
            className={parts.button}
            onClick={() => void client.call("proxy.pause", { paused: false }).then(status.hear)}
          >
            {words.text("connect.resume")}
          </button>
        </div>
      );
    case "all_off":
    case "no_usable_key":
    case "not_connected": {
      const page = health.type === "not_connected" ? "connect" : "channels";
      return (
        <div className={styles.remedy}>
          <p>{words.text(`health.${health.type}.remedy`)}</p>
          <a className={parts.button} href={hashOf({ page, id: null })}>
            {words.text(`nav.${page}`)}
          </a>
        </div>
      );
    }
    case "connecting":
    case "unreachable":
    case "unknown":
    case "working":
    case "no_channel":
      return null;
  }
}
