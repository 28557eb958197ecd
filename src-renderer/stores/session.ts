/**
 * How the page gets in: a one-time code from the address is exchanged for a token.
 *
 * The token lives in sessionStorage: a reload keeps it, another tab or another port cannot read it. A code that was
 * used up does no harm while an earlier token is still there.
 */
import { createStore, type StoreApi } from "zustand/vanilla";

export type Session =
  | { readonly type: "opening" }
  | { readonly type: "open"; readonly token: string }
  /** Nobody answers; the code is kept for another try. */
  | { readonly type: "unreachable" }
  | { readonly type: "closed"; readonly why: Why };

/** no_code: the bare address. code_refused: used up, or too old. ended: the token was refused. */
export type Why = "no_code" | "code_refused" | "ended";

/** What a session needs of the page it lives in. */
export interface Door {
  /** From the address, which it leaves without it. */
  takeCode(): string | null;
  /** null: the code was refused. Throws when nobody answers. */
  exchange(code: string): Promise<string | null>;
  readToken(): string | null;
  /** null: forget it. */
  keepToken(token: string | null): void;
}

export interface SessionStore {
  readonly store: StoreApi<Session>;
  /** Also the retry when nobody answered. */
  start(): Promise<void>;
  /** The token was refused. */
  end(): void;
}

export function createSession(door: Door): SessionStore {
  const store = createStore<Session>()(() => ({ type: "opening" }));
  const show = (session: Session) => store.setState(session, true);
  const code = door.takeCode();

  return {
    store,
    async start() {
      show({ type: "opening" });
      try {
        const fresh = code === null ? null : await door.exchange(code);
        if (fresh !== null) door.keepToken(fresh);
        const token = fresh ?? door.readToken();
        if (token !== null) show({ type: "open", token });
        else show({ type: "closed", why: code === null ? "no_code" : "code_refused" });
      } catch {
        show({ type: "unreachable" });
      }
    },
    end() {
      door.keepToken(null);
      show({ type: "closed", why: "ended" });
    },
  };
}
