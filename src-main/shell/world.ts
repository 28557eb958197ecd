/** What the app is started in: all that it takes from its process, so that a test can hand in another one. */
import type { Clock } from "../base/clock.ts";
import type { Machine } from "./diagnostics.ts";

export interface World {
  readonly argv: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly machine: Machine & { readonly platform: NodeJS.Platform };
  readonly dataDir: string;
  /** Of the app: where out/ and assets/ are. */
  readonly root: string;
  /** How this very app is started: the program, and in a clone its folder. */
  readonly program: readonly string[];
  /** null: the usual ones. */
  readonly port: number | null;
  hasTrayHost(): Promise<boolean>;
  /** Hears SIGTERM and the like. */
  onSignal(listener: () => void): void;
}
