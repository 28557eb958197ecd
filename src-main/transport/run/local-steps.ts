/** Steps that Ownkey carries out itself, one promise each; stopped together when nobody waits for them any more. */
import { OwnkeyError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json.ts";
import type { ClientStep, Reply } from "../../loop/types.ts";

/** A sentence in the error is for the model. */
export type CarryOut = (request: JsonObject, signal: AbortSignal) => Promise<JsonObject>;

export class LocalSteps {
  readonly #carryOut: CarryOut;
  readonly #answered: (step: ClientStep, reply: Reply) => void;
  readonly #open = new Map<string, AbortController>();

  constructor(carryOut: CarryOut, answered: (step: ClientStep, reply: Reply) => void) {
    this.#carryOut = carryOut;
    this.#answered = answered;
  }

  /** Begins the step unless it is under way. */
  begin(step: ClientStep, request: JsonObject): void {
    if (this.#open.has(step.operationId)) return;
    const stop = new AbortController();
    this.#open.set(step.operationId, stop);
    const answer = (reply: Reply) => {
      if (stop.signal.aborted) return;
      this.#open.delete(step.operationId);
      this.#answered(step, reply);
    };
    this.#carryOut(request, stop.signal).then(
      (value) => answer({ type: "answer", bytes: Buffer.from(JSON.stringify(value)) }),
      (reason) => answer({ type: "failure", reason: OwnkeyError.from(reason).message }),
    );
  }

  stop(): void {
    for (const stop of this.#open.values()) stop.abort();
    this.#open.clear();
  }
}
