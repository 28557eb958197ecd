/** The contract's calls about channels and their way out, answered. */
import { z } from "zod";
import type { Clock } from "../../base/clock.ts";
import type { ChannelView } from "../../contract/channels.ts";
import { quirks } from "../../llm/quirks.ts";
import type { Handlers } from "../handlers.ts";
import { type Outbound, setNetwork } from "../outbound/outbound.ts";
import type { ProviderKeys } from "../provider-keys.ts";
import type { Channels } from "./channels.ts";
import { addChannel, setChannel } from "./fields.ts";
import { presets } from "./presets.ts";
import { detectFormats, fetchModels, probe } from "./probe.ts";
import { testChannel } from "./test.ts";
import { exportChannels, exporting, importChannels, importing } from "./transfer.ts";

export interface ChannelParts {
  readonly clock: Clock;
  readonly channels: Channels;
  readonly keys: ProviderKeys;
  readonly outbound: Outbound;
  ownPorts(): readonly number[];
}

type Names = Extract<
  keyof Handlers,
  `channels.${string}` | `presets.${string}` | `quirks.${string}` | `network.${string}`
>;

const nothing = z.null();
const byId = z.strictObject({ id: z.string() });
const byIds = z.strictObject({ ids: z.array(z.string()).max(10_000) });

/** `changed`: whoever watches learns of it. */
export function channelRows(parts: ChannelParts, changed: <T>(value: T) => T): Pick<Handlers, Names> {
  const { channels, clock, keys, outbound } = parts;
  return {
    "channels.list": { params: nothing, answer: channels.list },
    "channels.unreadable": { params: nothing, answer: channels.unreadable },
    "channels.add": { params: addChannel, answer: (draft) => changed(channels.add(draft)) },
    "channels.set": { params: setChannel, answer: (change) => changed(channels.set(change)) },
    "channels.duplicate": { params: byId, answer: ({ id }) => changed(channels.duplicate(id)) },
    "channels.reorder": {
      params: byIds,
      answer: ({ ids }): readonly ChannelView[] => changed(channels.reorder(ids)),
    },
    "channels.test": {
      params: byId,
      answer: async ({ id }) => changed(await testChannel(id, channels, clock)),
    },
    "channels.remove": {
      params: byId,
      answer({ id }) {
        channels.remove(id);
        return changed(null);
      },
    },
    "channels.models": { params: probe, answer: (asked) => fetchModels(asked, parts) },
    "channels.detect": { params: probe, answer: (asked) => detectFormats(asked, parts) },
    "channels.export": {
      params: exporting,
      answer: ({ passphrase }) => exportChannels(channels, keys, passphrase),
    },
    "channels.import": {
      params: importing,
      answer: async (given) => changed(await importChannels(given, channels)),
    },
    "presets.list": { params: nothing, answer: () => presets },
    "quirks.list": {
      params: nothing,
      answer: () =>
        Object.entries(quirks).map(([name, { format, what, example, source }]) => ({
          name,
          format,
          what,
          example,
          source,
        })),
    },
    "network.get": { params: nothing, answer: outbound.get },
    "network.set": { params: setNetwork, answer: outbound.set },
  };
}
