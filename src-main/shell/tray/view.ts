/** What the tray shows, from one value. Pure: the same facts give the same icon, tooltip and menu. */
import type { ChannelView } from "../../contract/channels.ts";
import type { Status } from "../../contract/program.ts";
import type { ShellWords } from "../words.ts";

export type TrayIcon = "working" | "busy" | "paused" | "attention" | "stopped";

export interface TrayFacts {
  /** null: the program has not started, or has ended. */
  readonly status: Status | null;
  readonly channels: readonly ChannelView[];
  readonly problems: readonly Problem[];
  /** It starts at login. */
  readonly isAutostart: boolean;
  /** Tokens a second that arrive now, estimated from their text. */
  readonly pace: number;
}

/** What is broken, and where in the window it is mended. */
export interface Problem {
  readonly name: "certificate" | "settings" | "keys";
  /** Of a channel. */
  readonly subject: string;
  readonly page: string;
}

export type TrayAction =
  | { readonly type: "open"; readonly page?: string }
  | { readonly type: "choose"; readonly id: string }
  | { readonly type: "pause"; readonly paused: boolean }
  | { readonly type: "connect"; readonly isOn: boolean }
  | { readonly type: "autostart"; readonly isOn: boolean }
  | { readonly type: "copy proxy" | "logs" | "diagnostics" | "quit" };

export type TrayItem =
  | { readonly type: "line" }
  | { readonly type: "text"; readonly label: string }
  | { readonly type: "command"; readonly label: string; readonly action: TrayAction }
  | {
      readonly type: "choice" | "switch";
      readonly label: string;
      readonly isOn: boolean;
      readonly action: TrayAction;
    }
  | { readonly type: "menu"; readonly label: string; readonly items: readonly TrayItem[] };

export interface TrayView {
  readonly icon: TrayIcon;
  readonly tooltip: string;
  readonly items: readonly TrayItem[];
}

const mostChannels = 12;
const line: TrayItem = { type: "line" };

export function trayOf(facts: TrayFacts, words: ShellWords): TrayView {
  const { status, channels, problems } = facts;
  const icon = iconOf(facts);
  const tooltip = stateOf(icon, status, words);
  const quit = quitItem(status?.runs ?? 0, words);
  const open = command(words.open, { type: "open" });
  if (!status) return { icon, tooltip, items: [text(tooltip), line, open, line, quit] };
  return {
    icon,
    tooltip,
    items: [
      text(tooltip),
      ...(status.runs > 0 ? [text(words.runs(status.runs, facts.pace))] : []),
      line,
      open,
      channelItem(channels, words),
      command(status.isPaused ? words.resume : words.pause, { type: "pause", paused: !status.isPaused }),
      command(status.isSetUp ? words.off : words.on, { type: "connect", isOn: !status.isSetUp }),
      line,
      ...problemItems(problems, words),
      command(words.copyProxy, { type: "copy proxy" }),
      command(words.openLogs, { type: "logs" }),
      command(words.diagnostics, { type: "diagnostics" }),
      {
        type: "switch",
        label: words.autostart,
        isOn: facts.isAutostart,
        action: { type: "autostart", isOn: !facts.isAutostart },
      },
      line,
      ...(status.newer === null
        ? []
        : [command(words.newer(status.newer), { type: "open", page: "settings" })]),
      quit,
    ],
  };
}

function iconOf({ status, problems }: TrayFacts): TrayIcon {
  if (!status || status.port === null) return "stopped";
  if (problems.length > 0) return "attention";
  if (status.isPaused) return "paused";
  return status.runs > 0 ? "busy" : "working";
}

function stateOf(icon: TrayIcon, status: Status | null, words: ShellWords): string {
  const sentence = words[`state.${icon}`];
  return typeof sentence === "string" ? sentence : sentence(`127.0.0.1:${status?.proxyPort ?? status?.port}`);
}

/** The first of them that is on is what Cursor offers first. */
function channelItem(channels: readonly ChannelView[], words: ShellWords): TrayItem {
  const on = channels.filter(({ enabled }) => enabled);
  if (on.length === 0) return command(words.noChannels, { type: "open", page: "channels" });
  const items = on.slice(0, mostChannels).map(
    ({ id, name }, at): TrayItem => ({
      type: "choice",
      label: shown(name),
      isOn: at === 0,
      action: { type: "choose", id },
    }),
  );
  const more = command(words.moreChannels, { type: "open", page: "channels" });
  return {
    type: "menu",
    label: words.channels,
    items: on.length > mostChannels ? [...items, line, more] : items,
  };
}

function problemItems(problems: readonly Problem[], words: ShellWords): readonly TrayItem[] {
  if (problems.length === 0) return [];
  const items = problems.map((problem) =>
    command(words.problem(sentenceOf(problem, words)), { type: "open", page: problem.page }),
  );
  return [...items, line];
}

export function sentenceOf({ name, subject }: Problem, words: ShellWords): string {
  const sentence = words[`problem.${name}`];
  return typeof sentence === "string" ? sentence : sentence(shown(subject));
}

const quitItem = (runs: number, words: ShellWords): TrayItem =>
  command(runs > 0 ? words.stopAndQuit(runs) : words.quit, { type: "quit" });

const text = (label: string): TrayItem => ({ type: "text", label });
const command = (label: string, action: TrayAction): TrayItem => ({ type: "command", label, action });

/** A name of the user's; an ampersand would be taken for a shortcut, and a long one would make a wide menu. */
function shown(name: string): string {
  const short = [...name].length > 40 ? `${[...name].slice(0, 39).join("")}…` : name;
  return short.replaceAll("&", "&&");
}
