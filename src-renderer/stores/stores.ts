/** All that the window shows, kept in step with the program over one client. */
import type { Client } from "../../src-main/contract/contract.ts";
import type { Status } from "../../src-main/contract/program.ts";
import type { WindowClient } from "../client.ts";
import { type Calls, createCalls } from "./calls.ts";
import { type Channels, createChannels } from "./channels.ts";
import { type Conversations, createConversations } from "./conversations.ts";
import { createInspection, type InspectionStore } from "./inspection.ts";
import { createLink, type LinkStore } from "./link.ts";
import type { PreferencesStore } from "./preferences.ts";
import { createReading, type ReadingStore } from "./reading.ts";
import { createShadow, type Shadow } from "./shadow.ts";

export interface Stores {
  readonly link: LinkStore["store"];
  readonly status: Shadow<Status, Status>;
  readonly channels: Channels;
  readonly calls: Calls;
  readonly conversations: Conversations;
  readonly reading: ReadingStore;
  readonly inspection: InspectionStore;
  /** For what is asked once and kept by nobody. */
  readonly client: Client;
  /** Opens the link; everything is asked anew each time it opens. Returns the way to stop. */
  start(): () => void;
  /** Tries at once when the link is lost. */
  retry(): void;
}

/** `onRefused`: the token is not valid any more, nothing will work until the window is opened anew. */
export function createStores(
  client: WindowClient,
  now: () => number,
  onRefused: () => void,
  preferences: PreferencesStore,
): Stores {
  const link = createLink(now);
  const channels = createChannels(client, now);
  const calls = createCalls(client);
  const conversations = createConversations(client, now);
  const reading = createReading(client);
  const inspection = createInspection(client);
  const status = createShadow<Status, Status>(
    () => client.call("status.get", null),
    (_, next) => next,
  );
  const loadAll = () =>
    Promise.all([
      status.load(),
      channels.load(),
      calls.load(),
      conversations.load(),
      reading.load(),
      inspection.load(),
      preferences.load(client),
    ]);

  return {
    link: link.store,
    status,
    channels,
    calls,
    conversations,
    reading,
    inspection,
    client,
    start() {
      const stops = [
        client.on("status.changed", status.hear),
        client.on("channels.changed", channels.hear),
        client.on("settings.changed", preferences.hear),
        client.on("calls.changed", (call) => {
          calls.hear(call);
          inspection.hearCall(call);
        }),
        client.on("conversations.changed", (changed) => {
          conversations.hear(changed);
          reading.hearChange(changed);
        }),
        client.on("live.heard", (pieces) => {
          reading.hearLive(pieces);
          inspection.hearLive(pieces);
        }),
        client.onLink((state) => {
          link.hear(state);
          if (state === "open") void loadAll();
          if (state === "refused") onRefused();
        }),
        client.open(),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
    retry: client.retry,
  };
}
