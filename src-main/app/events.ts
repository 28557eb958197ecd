/** Who wants to hear of what: the events of the contract, inside the program. */
import type { EventName, Events } from "../contract/contract.ts";

export interface Emitter {
  emit<K extends EventName>(name: K, payload: Events[K]): void;
  /** Hears every event. Returns the way to stop. */
  listen(listener: Listener): () => void;
}

export type Listener = <K extends EventName>(name: K, payload: Events[K]) => void;

export function createEmitter(): Emitter {
  const listeners = new Set<Listener>();
  return {
    emit(name, payload) {
      for (const listener of listeners) listener(name, payload);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
