/**
 * The contract over Electron's own wire: as in app/window.ts, only without HTTP.
 *
 * Rule: only the top frame of our window, on our origin, is answered. Names and parameters are parsed where every call
 * of the contract is (app/dispatch.ts).
 */
import type { IpcMainEvent, IpcMainInvokeEvent } from "electron";
import type { Emitter } from "../../app/events.ts";
import type { Look, Reply } from "../../contract/contract.ts";
import type { ContentsApi, IpcApi } from "../electron.ts";
import { origin } from "./pages.ts";

export interface IpcOptions {
  readonly ipc: IpcApi;
  readonly contents: ContentsApi;
  readonly events: Pick<Emitter, "listen">;
  dispatch(name: string, params: unknown): Promise<Reply<unknown>>;
  /** The page's theme or language was chosen anew. */
  onLook(look: Look): void;
}

type Sender = Pick<IpcMainEvent | IpcMainInvokeEvent, "sender" | "senderFrame">;

const foreign: Reply<never> = { ok: false, kind: "auth", message: "Only Ownkey's own window is answered." };

/** Returns the way to stop telling events. */
export function carryContract({ ipc, contents, events, dispatch, onLook }: IpcOptions): () => void {
  const isOurs = ({ sender, senderFrame: frame }: Sender): boolean =>
    sender.id === contents.id && frame !== null && frame.parent === null && frame.origin === origin;

  ipc.handle("ownkey:call", (event, ...[name, params, ...more]: unknown[]) => {
    if (!isOurs(event)) return foreign;
    if (typeof name !== "string" || more.length > 0) return { ...foreign, kind: "protocol" };
    return dispatch(name, params);
  });
  ipc.on("ownkey:look", (event, look: unknown) => {
    const read = readLook(look);
    if (isOurs(event) && read) onLook(read);
  });
  return events.listen((name, payload) => {
    if (!contents.isDestroyed()) contents.send("ownkey:event", name, payload);
  });
}

const themes: readonly unknown[] = ["system", "light", "dark"] satisfies Look["theme"][];
const languages: readonly unknown[] = ["en", "zh-CN"] satisfies Look["language"][];

function readLook(look: unknown): Look | null {
  if (typeof look !== "object" || look === null) return null;
  const { theme, language } = look as Record<keyof Look, unknown>;
  return themes.includes(theme) && languages.includes(language) ? ({ theme, language } as Look) : null;
}
