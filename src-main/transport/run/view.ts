/** What a runner sees of the attempt that shows its run: the border between a conversation and one connection. */
import type { AgentServerMessage } from "../../gen/agent/v1/agent_pb.ts";
import type { Usage } from "../../llm/types.ts";
import type { ClientStep } from "../../loop/types.ts";
import type { Problem } from "../wire/errors.ts";

export interface View {
  /** Encoded envelopes of updates, one or several; they go out with the next flush. */
  send(envelopes: Buffer): void;
  /** Any other message; a kv question gets its number here. */
  sendMessage(message: AgentServerMessage): void;
  /** Sends a question whose answer proves that everything before it has arrived; returns its number. */
  mark(): number;
  flush(): void;
  /** Resolves when the client has caught up, or is gone. */
  drained(): Promise<void>;
  /** `again`: it was asked before, on a connection that is gone. */
  ask(step: ClientStep, again: boolean): void;
  finish(ending: Ending): void;
  /** Ends the connection at once: the run is shown elsewhere, or goes on without it. */
  end(problem: Problem | null): void;
}

export interface Ending {
  readonly problem: Problem | null;
  readonly usage: Usage;
  /** Sends the last checkpoint with a mark behind it. */
  readonly close: (view: View) => void;
}
