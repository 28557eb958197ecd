/** The contract's calls about what is stored: conversations, copies, settings. */
import { z } from "zod";
import type { Clock } from "../base/clock.ts";
import type { Store } from "../store/store.ts";
import { type Carrier, createConversationActions } from "./conversations.ts";
import { createDataActions } from "./data.ts";
import type { Emitter } from "./events.ts";
import type { Handlers } from "./handlers.ts";
import { createUserSettings, setSettings } from "./settings.ts";

export interface DataParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly carrier: Carrier;
  readonly events: Emitter;
  /** Runs that are going on. */
  runs(): number;
  /** Everything may be another: whoever watches is told. */
  replaced(): void;
}

type Call =
  | "conversations.recent"
  | "conversations.export"
  | "conversations.delete"
  | "conversations.replay"
  | "data.get"
  | "data.backup"
  | "data.restore"
  | "settings.get"
  | "settings.set";

const id = z.string().min(1).max(200);
const file = z.string().min(1).max(4000);

export function createDataHandlers(parts: DataParts): Pick<Handlers, Call> {
  const { store, carrier, replaced, events } = parts;
  const conversations = createConversationActions(store, carrier);
  const data = createDataActions(parts);
  const settings = createUserSettings(store.settings);
  return {
    "conversations.recent": {
      params: z.strictObject({ limit: z.int().min(1).max(1000) }),
      answer: ({ limit }) => store.conversations.recent(limit),
    },
    "conversations.export": {
      params: z.strictObject({ id, format: z.enum(["json", "md"]) }),
      answer: ({ id: name, format }) => conversations.export(name, format),
    },
    "conversations.delete": {
      params: z.strictObject({ ids: z.array(id).min(1).max(1000) }),
      answer: ({ ids }) => conversations.delete(ids),
    },
    "conversations.replay": {
      params: z.strictObject({ id }),
      answer: ({ id: name }) => conversations.replay(name),
    },
    "data.get": { params: z.null(), answer: data.get },
    "data.backup": {
      params: z.strictObject({ file: file.nullable(), overwrite: z.boolean() }),
      answer: ({ file: path, overwrite }) => data.backup(path, overwrite),
    },
    "data.restore": {
      params: z.strictObject({ file }),
      async answer({ file: path }) {
        const restored = await data.restore(path);
        replaced();
        return restored;
      },
    },
    "settings.get": { params: z.null(), answer: settings.get },
    "settings.set": {
      params: setSettings,
      answer(change) {
        const all = settings.set(change);
        events.emit("settings.changed", all);
        return all;
      },
    },
  };
}
