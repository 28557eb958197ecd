/** The conversation that is open. */
import { useStore } from "zustand";
import { useFrame } from "../../frame/frame.ts";

export const useReadingId = (): string => useStore(useFrame().stores.reading.store, ({ id }) => id ?? "");
