/** The chain from Cursor to a model, link by link: what holds, what is broken, and where it is mended. Pure. */
import type { CallView } from "../../../src-main/contract/calls.ts";
import type { ChannelView } from "../../../src-main/contract/channels.ts";
import type { Status } from "../../../src-main/contract/program.ts";
import type { Tone } from "../../parts/glyph.tsx";
import type { PageName } from "../../stores/route.ts";

export interface ChainLink {
  readonly name: "client" | "program" | "channels" | "keys" | "lastCall";
  readonly tone: Tone;
  /** Which sentence says how it stands. */
  readonly state: "ok" | "off" | "broken" | "waiting";
  /** Where the remedy is. */
  readonly page: PageName;
  readonly id: string | null;
}

export interface ChainFacts {
  readonly status: Status;
  readonly channels: readonly ChannelView[];
  readonly calls: readonly CallView[];
}

export function chainOf({ status, channels, calls }: ChainFacts): readonly ChainLink[] {
  const on = channels.filter(({ enabled }) => enabled);
  const lacking = on.filter(({ key }) => key === "missing" || key === "unreadable");
  const ended = calls.find(({ status: how }) => how === "committed" || how === "failed");
  return [
    link("client", status.isSetUp || status.keys > 0 ? "ok" : "off", "connect"),
    link("program", programState(status), "connect"),
    link("channels", on.length > 0 ? "ok" : "off", "channels"),
    link("keys", keysState(on.length, lacking.length), "channels"),
    { ...link("lastCall", lastState(ended), "inspector"), id: ended?.callId ?? null },
  ];
}

const programState = ({ port, isPaused }: Status): ChainLink["state"] => {
  if (port === null) return "broken";
  return isPaused ? "off" : "ok";
};

function keysState(on: number, lacking: number): ChainLink["state"] {
  if (on === 0) return "waiting";
  return lacking === 0 ? "ok" : "broken";
}

function lastState(call: CallView | undefined): ChainLink["state"] {
  if (!call) return "waiting";
  return call.status === "failed" ? "broken" : "ok";
}

const tones: Readonly<Record<ChainLink["state"], Tone>> = {
  ok: "ok",
  off: "warn",
  broken: "err",
  waiting: "off",
};

const link = (name: ChainLink["name"], state: ChainLink["state"], page: PageName): ChainLink => ({
  ...{ name, state, page, id: null },
  tone: tones[state],
});

export interface Problem {
  readonly channelName: string;
  readonly error: string;
  readonly errorCode: string | null;
  readonly count: number;
  /** The newest of them. */
  readonly callId: string;
  readonly atMs: number;
}

/** Calls that failed, equal ones together, the newest first. */
export function problemsOf(calls: readonly CallView[], sinceMs: number): readonly Problem[] {
  const failed = calls.filter(({ error, plannedMs }) => error !== null && plannedMs >= sinceMs);
  return [...Map.groupBy(failed, ({ channelName, error }) => `${channelName}\0${error}`).values()].flatMap(
    (same) => {
      const [newest] = same;
      if (!newest) return [];
      const { channelName, error, errorCode, callId, plannedMs } = newest;
      return [{ channelName, error: error ?? "", errorCode, count: same.length, callId, atMs: plannedMs }];
    },
  );
}
