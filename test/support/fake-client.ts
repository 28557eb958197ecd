/** The window's client with answers by hand: a test sees what was asked, and answers when it likes. */
import { setImmediate } from "node:timers/promises";
import type { CallName, EventName, Events, ResultOf } from "../../src-main/contract/contract.ts";
import type { Link, WindowClient } from "../../src-renderer/client.ts";

export interface Asked {
  readonly name: CallName;
  readonly params: unknown;
  answer(value: unknown): Promise<void>;
  fail(reason: Error): Promise<void>;
}

export interface FakeClient extends WindowClient {
  /** Every call so far, oldest first. */
  readonly asked: readonly Asked[];
  /** The newest call of that name. */
  last(name: CallName): Asked;
  tell<K extends EventName>(name: K, payload: Events[K]): void;
  setLink(link: Link): void;
  readonly isOpen: () => boolean;
}

export function createFakeClient(): FakeClient {
  const asked: Asked[] = [];
  const listeners = new Map<unknown, EventName>();
  const links = new Set<(link: Link) => void>();
  let isOpen = false;
  /** What waited for an answer has gone on with it. */
  const settled = () => setImmediate();
  return {
    asked,
    last(name) {
      const found = asked.findLast((call) => call.name === name);
      if (!found) throw new Error(`nobody asked ${name}`);
      return found;
    },
    call<K extends CallName>(name: K, params: unknown) {
      const { promise, resolve, reject } = Promise.withResolvers<ResultOf<K>>();
      const answer = (value: unknown) => {
        resolve(value as ResultOf<K>);
        return settled();
      };
      const fail = (reason: Error) => {
        reject(reason);
        return settled();
      };
      asked.push({ name, params, answer, fail });
      return promise;
    },
    on(name, listener) {
      listeners.set(listener, name);
      return () => listeners.delete(listener);
    },
    onLink(listener) {
      links.add(listener);
      return () => links.delete(listener);
    },
    open() {
      isOpen = true;
      return () => {
        isOpen = false;
      };
    },
    retry() {},
    tell(name, payload) {
      for (const [listener, heard] of listeners)
        if (heard === name) (listener as (payload: unknown) => void)(payload);
    },
    setLink(link) {
      for (const listener of links) listener(link);
    },
    isOpen: () => isOpen,
  };
}
