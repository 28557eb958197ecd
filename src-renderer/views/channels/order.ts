/** The channels as the list shows them: found by words, in groups once there are many, moved by hand. Pure. */
import type { ChannelView } from "../../../src-main/contract/channels.ts";
import { hostOf } from "../../stores/channels.ts";

export interface Group {
  /** Who is asked; null: the list is short, and one group. */
  readonly host: string | null;
  readonly channels: readonly ChannelView[];
}

const mostUngrouped = 7;

export function groupsOf(list: readonly ChannelView[]): readonly Group[] {
  if (list.length <= mostUngrouped) return [{ host: null, channels: list }];
  return [...Map.groupBy(list, ({ baseUrl }) => hostOf(baseUrl))].map(([host, channels]) => ({
    host,
    channels,
  }));
}

/** All words must be there, in the name, the note, the address or the model. */
export function findIn(list: readonly ChannelView[], words: string): readonly ChannelView[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return list.filter(({ name, note, baseUrl, model }) => {
    const text = `${name}\n${note}\n${baseUrl}\n${model}`.toLowerCase();
    return wanted.every((word) => text.includes(word));
  });
}

/** The ids once `moved` stands where `target` stood. Into another group it takes its whole group along. */
export function placed(list: readonly ChannelView[], moved: string, target: string): readonly string[] {
  const groups = groupsOf(list);
  const from = groups.findIndex(({ channels }) => channels.some(({ id }) => id === moved));
  const to = groups.findIndex(({ channels }) => channels.some(({ id }) => id === target));
  if (from === -1 || to === -1) return list.map(({ id }) => id);
  const ordered =
    from === to
      ? groups.map((group, at) =>
          at === from ? { ...group, channels: put(group.channels, moved, target) } : group,
        )
      : relocated(groups, from, to);
  return ordered.flatMap(({ channels }) => channels.map(({ id }) => id));
}

function put(channels: readonly ChannelView[], moved: string, target: string): readonly ChannelView[] {
  const from = channels.findIndex(({ id }) => id === moved);
  const to = channels.findIndex(({ id }) => id === target);
  return relocated(channels, from, to);
}

function relocated<T>(list: readonly T[], from: number, to: number): readonly T[] {
  const rest = list.toSpliced(from, 1);
  const [taken] = list.slice(from, from + 1);
  return taken === undefined ? list : rest.toSpliced(to, 0, taken);
}

/** One place up (-1) or down (1), as it is shown. */
export function stepped(list: readonly ChannelView[], moved: string, step: -1 | 1): readonly string[] {
  const shown = groupsOf(list).flatMap(({ channels }) => channels);
  const target = shown[shown.findIndex(({ id }) => id === moved) + step];
  return target ? placed(list, moved, target.id) : list.map(({ id }) => id);
}
