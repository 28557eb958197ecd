/** The part of the contract that is about bringing Cursor here: certificate, set-up, proxy, commands, diagnosis. */
import { z } from "zod";
import type { Status } from "../contract/program.ts";
import type { Store } from "../store/store.ts";
import { type DoctorParts, diagnose } from "./doctor/doctor.ts";
import type { Handlers } from "./handlers.ts";
import { pausedSetting } from "./proxy.ts";
import type { RunCredentials } from "./run-credentials.ts";
import type { Secrets } from "./secrets.ts";
import type { CursorSetup } from "./setup/cursor-setup.ts";
import type { Trust } from "./trust/trust.ts";

export interface CursorParts extends DoctorParts {
  readonly store: Store;
  readonly trust: Trust;
  readonly setup: CursorSetup;
  readonly runCredentials: RunCredentials;
  readonly secrets: Pick<Secrets, "pathSecret">;
  status(): Status;
}

type Own = Pick<
  Handlers,
  | "runs.begin"
  | "runs.end"
  | "direct.address"
  | "setup.plan"
  | "setup.apply"
  | "setup.undo"
  | "setup.again"
  | "setup.status"
  | "proxy.pause"
  | "ca.show"
  | "ca.install"
  | "ca.remove"
  | "doctor.run"
>;

const nothing = z.null();
const intoStores = z.strictObject({
  stores: z.array(z.enum(["macos", "windows", "nss", "system"])),
  renew: z.boolean().exactOptional(),
});
const target = z.strictObject({ settings: z.string().nullable(), home: z.string().nullable() });
const applied = target.extend({ untrusted: z.boolean() });
const withForget = z.strictObject({ forget: z.boolean() });

/** `changed` tells whoever watches; `listening` throws `config` while nothing listens. */
export function createCursorHandlers(
  parts: CursorParts,
  changed: <T>(value: T) => T,
  listening: () => string,
): Own {
  const { store, trust, setup, runCredentials, secrets, sightings } = parts;
  return {
    "runs.begin": {
      params: z.strictObject({ pid: z.int().positive() }),
      answer({ pid }) {
        const address = listening();
        const { id, secret, key } = runCredentials.begin(pid);
        return { id, key, direct: `${address}${secret}` };
      },
    },
    "runs.end": {
      params: z.strictObject({ id: z.string() }),
      answer({ id }) {
        runCredentials.end(id);
        return null;
      },
    },
    "direct.address": {
      params: nothing,
      answer: () => ({ direct: `${listening()}${secrets.pathSecret}` }),
    },
    "setup.plan": { params: target, answer: setup.plan },
    "setup.apply": { params: applied, answer: async (wanted) => changed(await setup.apply(wanted)) },
    "setup.undo": { params: nothing, answer: () => changed(setup.undo()) },
    "setup.again": { params: nothing, answer: async () => changed(await setup.again()) },
    "setup.status": {
      params: nothing,
      answer: () => ({ ...setup.state(), seenMs: sightings.get().lastRequestMs }),
    },
    "proxy.pause": {
      params: z.strictObject({ paused: z.boolean() }),
      answer({ paused }) {
        store.settings.set(pausedSetting, paused);
        return changed(parts.status());
      },
    },
    "ca.show": { params: nothing, answer: trust.show },
    "ca.install": { params: intoStores, answer: ({ stores, renew }) => trust.install(stores, renew) },
    "ca.remove": { params: withForget, answer: ({ forget }) => trust.remove(forget) },
    "doctor.run": { params: nothing, answer: () => diagnose(parts) },
  };
}
