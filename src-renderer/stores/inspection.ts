/** The call that is looked into: asked for when it is opened, and again while it runs. */
import { createStore, type StoreApi } from "zustand/vanilla";
import type { CallInspection, CallView } from "../../src-main/contract/calls.ts";
import type { Client } from "../../src-main/contract/contract.ts";
import type { LivePiece } from "../../src-main/contract/conversations.ts";
import { messageOf, type Shadowed } from "./shadow.ts";

export interface Inspection {
  readonly callId: string | null;
  readonly state: Shadowed<CallInspection>;
}

export interface InspectionStore {
  readonly store: StoreApi<Inspection>;
  open(callId: string | null): void;
  load(): Promise<void>;
  hearCall(call: CallView): void;
  hearLive(pieces: readonly LivePiece[]): void;
}

/** Between two looks at a call that runs. */
const pauseMs = 400;

export function createInspection(client: Client): InspectionStore {
  const store = createStore<Inspection>()(() => ({ callId: null, state: { type: "loading" } }));
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function load(): Promise<void> {
    const { callId } = store.getState();
    if (callId === null) return;
    try {
      const value = await client.call("calls.inspect", { callId });
      if (store.getState().callId === callId) store.setState({ state: { type: "loaded", value } });
    } catch (reason) {
      if (store.getState().callId === callId)
        store.setState({ state: { type: "failed", message: messageOf(reason) } });
    }
  }

  function loadSoon(callId: string): void {
    if (callId !== store.getState().callId || timer !== null) return;
    timer = setTimeout(() => {
      timer = null;
      void load();
    }, pauseMs);
  }

  return {
    store,
    open(callId) {
      if (store.getState().callId === callId) return;
      store.setState({ callId, state: { type: "loading" } });
      void load();
    },
    load,
    hearCall: ({ callId }) => loadSoon(callId),
    hearLive(pieces) {
      for (const { callId } of pieces) loadSoon(callId);
    },
  };
}
