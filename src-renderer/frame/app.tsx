/** The window, or the page that says how to open it. */
import { useEffect, useState } from "react";
import { useStore } from "zustand";
import type { SessionStore } from "../stores/session.ts";
import type { Stores } from "../stores/stores.ts";
import { ClosedPage, UnreachablePage } from "./closed.tsx";
import { MainWindow } from "./main-window.tsx";

interface AppProps {
  readonly session: SessionStore;
  /** Not opened yet. */
  readonly connect: (token: string) => Stores;
}

export function App({ session, connect }: AppProps) {
  const state = useStore(session.store);
  switch (state.type) {
    case "opening":
      return null;
    case "open":
      return <Connected key={state.token} token={state.token} connect={connect} />;
    case "unreachable":
      return <UnreachablePage onRetry={() => void session.start()} />;
    case "closed":
      return <ClosedPage why={state.why} />;
  }
}

interface ConnectedProps {
  readonly token: string;
  readonly connect: AppProps["connect"];
}

function Connected({ token, connect }: ConnectedProps) {
  const [stores] = useState(() => connect(token));
  useEffect(() => stores.start(), [stores]);
  return <MainWindow stores={stores} />;
}
