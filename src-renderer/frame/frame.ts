/** What every page may use: the stores, the route, the preferences. */
import { createContext, useContext } from "react";
import { useStore } from "zustand";
import type { PreferencesStore } from "../stores/preferences.ts";
import type { Route, RouteStore } from "../stores/route.ts";
import type { Stores } from "../stores/stores.ts";

export interface Frame {
  readonly stores: Stores;
  readonly route: RouteStore;
  readonly preferences: PreferencesStore;
}

export const FrameContext = createContext<Frame | null>(null);

export function useFrame(): Frame {
  const frame = useContext(FrameContext);
  if (!frame) throw new Error("this part stands outside the window");
  return frame;
}

export const useRoute = (): Route => useStore(useFrame().route.store);
