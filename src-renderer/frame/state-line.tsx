/** The top of the window: does Cursor reach my models right now, and if not, what is to be done? */
import { useStore } from "zustand";
import type { Status } from "../../src-main/contract.ts";
import { useWords } from "../i18n/language.tsx";
import type { Words } from "../i18n/words.ts";
import { CommandLine } from "../parts/command-line.tsx";
import { commands } from "../parts/commands.ts";
import { Glyph, type Tone } from "../parts/glyph.tsx";
import { type Health, healthOf } from "../stores/health.ts";
import type { Stores } from "../stores/stores.ts";
import styles from "./frame.module.css";

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
      <Remedy health={health} firstChannel={channels.type === "loaded" ? channels.value[0]?.id : undefined} />
    </header>
  );
}

const tones: Readonly<Record<Health["type"], Tone>> = {
  connecting: "busy",
  unreachable: "err",
  unknown: "warn",
  working: "ok",
  no_port: "err",
  no_channel: "warn",
  all_off: "warn",
  no_usable_key: "warn",
  no_local_key: "warn",
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

interface RemedyProps {
  readonly health: Health;
  readonly firstChannel: string | undefined;
}

function Remedy({ health, firstChannel }: RemedyProps) {
  const words = useWords();
  switch (health.type) {
    case "no_port":
    case "all_off":
    case "no_usable_key":
    case "no_local_key": {
      const command = commandOf(health.type, firstChannel);
      return (
        <div className={styles.remedy}>
          <p>{words.text(`health.${health.type}.remedy`)}</p>
          {command && <CommandLine command={command} />}
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

function commandOf(
  trouble: "no_port" | "all_off" | "no_usable_key" | "no_local_key",
  firstChannel: string | undefined,
): string | null {
  switch (trouble) {
    case "no_port":
      return commands.serveAnywhere;
    case "all_off":
      return firstChannel === undefined ? null : commands.enableChannel(firstChannel);
    case "no_usable_key":
      return null;
    case "no_local_key":
      return commands.newKey;
  }
}
