/** A data folder whose program may be killed: another one takes over at once, on the same port. */
import type { ChildProcess } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openFolder } from "../../src-main/app/folder.ts";
import { createLocalClient } from "../../src-main/host/client.ts";
import { openApp } from "../../src-main/host/local.ts";
import type { Scope } from "../support/scope.ts";
import type { Clocking, Death, FromProgram, Stored, ToProgram } from "./messages.ts";
import type { Order } from "./mortal-store.ts";
import type { Stock } from "./stock.ts";

/** What every lane begins as a copy of, so that all their ids are the same. */
export interface Home {
  readonly folder: string;
  /** For Cursor's client. */
  readonly key: string;
  /** Its one channel. */
  readonly model: string;
}

export interface LaneOptions {
  readonly stock: Stock;
  readonly order: Order;
  readonly clock: Clocking;
}

/** What a round wants to know of its program. */
export interface Witness {
  killed(): void;
  /** Another one listens. */
  replaced(): void;
  /** A sentence. */
  wrong(what: string): void;
}

export async function furnish(scope: Scope, upstream: { readonly url: string }): Promise<Home> {
  const folder = newFolder(scope);
  const app = openApp(openFolder(folder), "warn");
  const { call } = createLocalClient(app);
  const fields = { name: "Test", format: "openai-chat", baseUrl: upstream.url, model: "model-1" } as const;
  const { id: model } = await call("channels.add", { fields, key: null });
  const { key } = await call("keys.new", { name: "crash" });
  await app.close();
  return { folder, key, model };
}

function newFolder(scope: Scope): string {
  const folder = mkdtempSync(join(tmpdir(), "ownkey-crash-"));
  scope.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export class Lane {
  readonly key: string;
  readonly model: string;
  readonly #folder: string;
  readonly #options: LaneOptions;
  #child: ChildProcess | null = null;
  #port = 0;
  #direct = "";
  #isOver = false;
  witness: Witness = { killed: () => {}, replaced: () => {}, wrong: () => {} };
  #isUp = Promise.resolve();

  static async open(scope: Scope, home: Home, options: LaneOptions): Promise<Lane> {
    const folder = newFolder(scope);
    const umask = process.umask(0o077);
    cpSync(home.folder, folder, { recursive: true });
    process.umask(umask);
    const lane = new Lane(folder, home, options);
    scope.after(() => lane.#end());
    await lane.#begin();
    return lane;
  }

  private constructor(folder: string, { key, model }: Home, options: LaneOptions) {
    this.#folder = folder;
    this.key = key;
    this.model = model;
    this.#options = options;
  }

  /** For Cursor's client. */
  get url(): string {
    return this.#direct;
  }

  arm(death: Death | null): void {
    this.#tell({ type: "arm", death });
  }

  kill(): void {
    this.#child?.kill("SIGKILL");
  }

  /** What is stored of these conversations. Throws when the program does not start again. */
  async read(clientIds: readonly string[]): Promise<readonly Stored[]> {
    await this.#isUp;
    this.#tell({ type: "read", clientIds });
    // It may just have been killed, and nobody have noticed yet.
    const stored = await this.#heard("stored").catch(() => null);
    return stored?.conversations ?? this.read(clientIds);
  }

  #tell(message: ToProgram): void {
    this.#child?.send(message, () => {}); // it may be dying
  }

  async #begin(): Promise<void> {
    const { stock, order, clock } = this.#options;
    const child = await stock.take();
    if (this.#isOver) return;
    this.#child = child;
    child.once("exit", (_, signal) => this.#ended(signal));
    this.#tell({ type: "begin", folder: this.#folder, port: this.#port, order, clock });
    const { port, direct, violations } = await this.#heard("listens");
    this.#port = port;
    this.#direct = direct;
    for (const violation of violations) this.witness.wrong(`stored: ${violation}`);
  }

  #ended(signal: NodeJS.Signals | null): void {
    if (this.#isOver) return;
    const { witness } = this;
    if (signal === "SIGKILL") witness.killed();
    else witness.wrong("the program ended by itself");
    this.#isUp = this.#begin().then(() => witness.replaced());
    this.#isUp.catch((reason) => witness.wrong(`the program does not start again: ${reason}`));
  }

  #heard<T extends FromProgram["type"]>(type: T): Promise<Extract<FromProgram, { type: T }>> {
    const child = this.#child;
    return new Promise((resolve, reject) => {
      if (child?.signalCode || child?.exitCode) reject(new Error("it has ended"));
      const take = (message: FromProgram) => {
        if (message.type !== type) return;
        child?.off("message", take).off("exit", fail);
        resolve(message as Extract<FromProgram, { type: T }>);
      };
      const fail = () => reject(new Error(`it ended before it said "${type}"`));
      child?.on("message", take).once("exit", fail);
    });
  }

  async #end(): Promise<void> {
    this.#isOver = true;
    this.kill();
  }
}
