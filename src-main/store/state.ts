/**
 * ConversationState as its row holds it: without the messages, which are rows of their own, without what the client
 * was asked and answered, which stands in the operation tables, and without the setup, which the run's row names.
 */
import { canonical, type Json } from "../base/json.ts";
import type { ConversationState, Phase, Queued, Run, Todo } from "../loop/types.ts";

export interface StoredState {
  readonly turn: number;
  readonly callCount: number;
  readonly counted: ConversationState["counted"];
  readonly phase: StoredPhase;
  readonly queued: readonly Queued[];
  readonly todos: readonly Todo[];
  readonly run: Omit<Run, "setup"> | null;
}

export type StoredPhase =
  | Exclude<Phase, { readonly type: "waiting_client" }>
  | { readonly type: "waiting_client"; readonly callId: string; readonly batch: readonly string[] };

export type ConversationStatus =
  | "idle"
  | "running"
  | "waiting_tool"
  | "completed"
  | "canceled"
  | "provider_error"
  | "failed";

export function encodeState(state: ConversationState): string {
  const { turn, callCount, counted, phase, queued, todos, run } = state;
  const stored: StoredState = {
    turn,
    callCount,
    counted,
    phase:
      phase.type === "waiting_client"
        ? { ...phase, batch: phase.batch.map((each) => each.operationId) }
        : phase,
    queued,
    todos,
    run: run && { runId: run.runId, calls: run.calls, usage: run.usage },
  };
  return canonical(stored as unknown as Json);
}

export const readState = (json: string): StoredState => JSON.parse(json) as StoredState;

/** What people are shown. A parked run is not seen here: it is one without a connection. */
export function statusOf(phase: Phase): ConversationStatus {
  switch (phase.type) {
    case "ready":
      return "idle";
    case "waiting_llm":
      return "running";
    case "waiting_client":
      return "waiting_tool";
    case "final":
      return "completed";
    case "canceled":
      return "canceled";
    case "failed":
      return ["upstream", "limit", "auth"].includes(phase.error.kind) ? "provider_error" : "failed";
  }
}
