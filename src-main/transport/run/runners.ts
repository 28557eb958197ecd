/** The conversations that are alive in this process, one runner each. */
import { emptyConversation } from "../../loop/transition.ts";
import type { ConversationState } from "../../loop/types.ts";
import { type Identity, Ledger } from "./ledger.ts";
import { Runner, type RunnerOptions } from "./runner.ts";

export class Runners {
  readonly #options: RunnerOptions;
  readonly #alive = new Map<string, Runner>();
  readonly #principals = new WeakMap<Runner, string>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /** Runs that are going on, whether or not a connection shows them. */
  get busy(): number {
    return [...this.#alive.values()].filter((runner) => runner.isBusy).length;
  }

  /** The conversation's runner, from memory or the store; a conversation that does not exist begins empty. */
  get(identity: Identity): Runner {
    const { conversations } = this.#options.store;
    const id = conversations.idOf(identity.principal, identity.clientId);
    const alive = this.#alive.get(id);
    if (alive) return alive;
    const stored = conversations.load(id) ?? { version: 0, state: emptyConversation(id) };
    const ledger = new Ledger(this.#options, identity, stored);
    const keep = (runner: Runner) => {
      this.#alive.set(id, runner);
      this.#principals.set(runner, identity.principal);
    };
    return new Runner(this.#options, ledger, keep, () => this.#alive.delete(id));
  }

  /** The conversation as it stands, looked at only; null when there is none. */
  peek({ principal, clientId }: Identity): ConversationState | null {
    const { conversations } = this.#options.store;
    const id = conversations.idOf(principal, clientId);
    return this.#alive.get(id)?.state ?? conversations.load(id)?.state ?? null;
  }

  /** Whether a run of this conversation is going on in this process. */
  isBusy(conversationId: string): boolean {
    return this.#alive.get(conversationId)?.isBusy ?? false;
  }

  /** The store is about to change beneath this conversation. */
  forget(conversationId: string): void {
    this.#alive.get(conversationId)?.park();
  }

  /** Ends the run in hand as the user's own cancel does; nothing when there is none. */
  cancel(conversationId: string, reason: string): void {
    const runner = this.#alive.get(conversationId);
    if (runner?.isBusy) runner.cancel(reason);
  }

  /** Ends the runs in hand of a principal that is one no longer. */
  dismiss(principal: string, reason: string): void {
    for (const runner of [...this.#alive.values()])
      if (this.#principals.get(runner) === principal && runner.isBusy) runner.cancel(reason);
  }

  /** Leaves every open run to the store. */
  park(): void {
    for (const runner of [...this.#alive.values()]) runner.park();
  }
}
