/** What the harness and a program of it tell each other. */
import type { Order, Point } from "./mortal-store.ts";

/** Where a program kills itself. */
export interface Death {
  readonly point: Point;
  /** The how-manyth time that it is reached, from 1. */
  readonly nth: number;
}

/** Real time at which the program's clock showed `shows`. */
export interface Clocking {
  readonly sinceMs: number;
  readonly shows: number;
}

export type ToProgram =
  | {
      readonly type: "begin";
      readonly folder: string;
      /** 0 for any. */
      readonly port: number;
      readonly order: Order;
      readonly clock: Clocking;
    }
  /** null: it may live. */
  | { readonly type: "arm"; readonly death: Death | null }
  | { readonly type: "read"; readonly clientIds: readonly string[] };

export type FromProgram =
  /** Loaded; it waits to be told to begin. */
  | { readonly type: "warm" }
  | {
      readonly type: "listens";
      readonly port: number;
      readonly direct: string;
      readonly violations: readonly string[];
    }
  | { readonly type: "stored"; readonly conversations: readonly Stored[] };

/** A conversation as it is stored. */
export interface Stored {
  /** The canonical bytes of each. */
  readonly messages: readonly string[];
  readonly phase: string;
  /** What is wrong with it: sentences. */
  readonly violations: readonly string[];
}
