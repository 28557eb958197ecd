/** Questions to the user that are open in one attempt. They have no limit: a person may take any time. */
import type { AgentServerMessage } from "../gen/agent/v1/agent_pb.ts";
import type { InteractionResponse } from "../gen/agent/v1/queries_pb.ts";
import type { Reply } from "../loop/types.ts";
import { encodeResponse, toQuery } from "./dialect/encode.ts";

export class Queries {
  readonly #nextId: () => number;
  readonly #send: (message: AgentServerMessage) => void;
  readonly #open = new Map<number, (reply: Reply) => void>();

  constructor(nextId: () => number, send: (message: AgentServerMessage) => void) {
    this.#nextId = nextId;
    this.#send = send;
  }

  /** `query`: an InteractionQuery without its number. */
  ask(query: Uint8Array, answered: (reply: Reply) => void): void {
    const id = this.#nextId();
    this.#open.set(id, answered);
    this.#send(toQuery(id, query));
  }

  answer(response: InteractionResponse): void {
    const answered = this.#open.get(response.id);
    this.#open.delete(response.id);
    answered?.({ type: "answer", bytes: encodeResponse(response) });
  }
}
