/** The window, or the page that says how to open it. */
import { useEffect, useMemo, useState } from "react";
import { useStore } from "zustand";
import type { PreferencesStore } from "../stores/preferences.ts";
import type { RouteStore } from "../stores/route.ts";
import type { SessionStore } from "../stores/session.ts";
import type { Stores } from "../stores/stores.ts";
import { ClosedPage, UnreachablePage } from "./closed.tsx";
import { FrameContext } from "./frame.ts";
import { MainWindow } from "./main-window.tsx";

interface AppProps {
  readonly session: SessionStore;
  readonly route: RouteStore;
  readonly preferences: PreferencesStore;
  /** Not opened yet. */
  readonly connect: (token: string) => Stores;
}

export function App({ session, ...rest }: AppProps) {
  const state = useStore(session.store);
  switch (state.type) {
    case "opening":
      return null;
    case "open":
      return <Connected key={state.token} token={state.token} {...rest} />;
    case "unreachable":
      return <UnreachablePage onRetry={() => void session.start()} />;
    case "closed":
      return <ClosedPage why={state.why} />;
  }
}

interface ConnectedProps extends Omit<AppProps, "session"> {
  readonly token: string;
}

function Connected({ token, connect, route, preferences }: ConnectedProps) {
  const [stores] = useState(() => connect(token));
  useWhileVisible(stores.start);
  const frame = useMemo(() => ({ stores, route, preferences }), [stores, route, preferences]);
  return (
    <FrameContext value={frame}>
      <MainWindow />
    </FrameContext>
  );
}

/** A window that nobody sees is told nothing; when it shows again, everything is asked anew. */
function useWhileVisible(start: () => () => void): void {
  useEffect(() => {
    let stop: (() => void) | null = null;
    const follow = () => {
      if (document.hidden) {
        stop?.();
        stop = null;
      } else stop ??= start();
    };
    follow();
    document.addEventListener("visibilitychange", follow);
    return () => {
      document.removeEventListener("visibilitychange", follow);
      stop?.();
    };
  }, [start]);
}
