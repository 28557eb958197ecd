/** What the tray's entries and the links do. Everything goes through the contract, as from the window. */
import { OwnkeyError } from "../base/errors.ts";
import type { Client } from "../contract/contract.ts";
import { diagnosticsOf, type Machine } from "./diagnostics.ts";
import type { ClipboardApi, DialogApi, OpenApi } from "./electron.ts";
import type { Autostart } from "./system/autostart.ts";
import type { KeyStore } from "./system/key-store.ts";
import type { Link } from "./system/links.ts";
import type { Problem, TrayAction } from "./tray/view.ts";
import type { ShellWords } from "./words.ts";

export interface ActionOptions {
  readonly client: Client;
  readonly dialog: Pick<DialogApi, "showMessageBox">;
  readonly clipboard: ClipboardApi;
  readonly shell: Pick<OpenApi, "openPath">;
  readonly autostart: Autostart;
  readonly keyStore: Pick<KeyStore, "problem">;
  readonly logFolder: string;
  readonly machine: Machine;
  words(): ShellWords;
  problems(): readonly Problem[];
  showWindow(page?: string): void;
  quit(): Promise<void>;
}

export interface Actions {
  /** Shows a failure in a box; never rejects. */
  perform(action: TrayAction): Promise<void>;
  follow(link: Link): Promise<void>;
}

export function createActions(options: ActionOptions): Actions {
  const { dialog, words } = options;
  const told = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (reason) {
      const { message } = OwnkeyError.from(reason);
      await dialog.showMessageBox({ type: "warning", message, buttons: [words().ok] });
    }
  };
  return {
    perform: (action) => told(() => perform(options, action)),
    follow: (link) => told(() => follow(options, link)),
  };
}

async function perform(options: ActionOptions, action: TrayAction): Promise<void> {
  const { client, clipboard, shell, showWindow } = options;
  switch (action.type) {
    case "open":
      return showWindow(action.page);
    case "choose":
      return choose(client, action.id);
    case "pause":
      await client.call("proxy.pause", { paused: action.paused });
      return;
    case "connect":
      return connect(options, action.isOn);
    case "autostart":
      return setAutostart(options, action.isOn);
    case "copy proxy": {
      const { proxyPort } = await client.call("status.get", null);
      return clipboard.writeText(`http://127.0.0.1:${proxyPort}`);
    }
    case "logs":
      await shell.openPath(options.logFolder);
      return;
    case "diagnostics":
      return copyDiagnostics(options);
    case "quit":
      return options.quit();
  }
}

/** The first in the order is what Cursor offers first. */
async function choose(client: Client, id: string): Promise<void> {
  const ids = (await client.call("channels.list", null)).map((channel) => channel.id);
  await client.call("channels.reorder", { ids: [id, ...ids.filter((each) => each !== id)] });
}

/** Where Cursor never was connected there is something to read first. */
async function connect({ client, showWindow }: ActionOptions, isOn: boolean): Promise<void> {
  if (!isOn) {
    await client.call("setup.undo", null);
    return;
  }
  try {
    await client.call("setup.again", null);
  } catch (reason) {
    if (OwnkeyError.from(reason).kind !== "config") throw reason;
    showWindow("connect");
  }
}

async function setAutostart({ autostart, dialog, words }: ActionOptions, isOn: boolean): Promise<void> {
  const why = autostart.set(isOn);
  if (why === null) return;
  await dialog.showMessageBox({
    type: "warning",
    message: words()["autostart.refused"],
    detail: words()[`autostart.${why}`],
    buttons: [words().ok],
  });
}

async function copyDiagnostics(options: ActionOptions): Promise<void> {
  const { client, clipboard, dialog, words } = options;
  const status = await client.call("status.get", null);
  const text = diagnosticsOf(status, options.keyStore, options.problems(), options.machine);
  const { response } = await dialog.showMessageBox({
    type: "info",
    message: words()["diagnostics.ask"],
    detail: text,
    buttons: [words().copy, words().cancel],
    defaultId: 0,
    cancelId: 1,
    noLink: true,
  });
  if (response === 0) await clipboard.writeText(text);
}

async function follow({ client, dialog, words, showWindow }: ActionOptions, link: Link): Promise<void> {
  if (link.type === "open") return showWindow(link.page);
  showWindow("channels");
  const wanted = { text: link.text, passphrase: null, same: "keep both" } as const;
  const found = await client.call("channels.import", { ...wanted, isTrial: true });
  if (found.length === 0) throw new OwnkeyError("config", words()["import.nothing"]);
  const { response } = await dialog.showMessageBox({
    type: "question",
    message: words()["import.ask"](found.length),
    // A host is as the parser of addresses writes it: in punycode.
    detail: [
      words()["import.detail"],
      "",
      ...found.map(({ name, host }) => `${oneLine(name)}  →  ${host}`),
    ].join("\n"),
    buttons: [words()["import.add"], words().cancel],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  });
  if (response === 0) await client.call("channels.import", { ...wanted, isTrial: false });
}

/** A name from elsewhere, so that it looks like nothing but a name. */
const oneLine = (name: string): string => name.replaceAll(/[\s\p{C}]+/gu, " ").slice(0, 60);
