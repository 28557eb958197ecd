/** Something asked of the program for one part of a page, and asked again at will. */
import { useCallback, useEffect, useState } from "react";
import type { CallName, ParamsOf, ResultOf } from "../../src-main/contract/contract.ts";
import { useFrame } from "../frame/frame.ts";
import { messageOf, type Shadowed } from "../stores/shadow.ts";

export interface Asked<T> {
  readonly state: Shadowed<T>;
  readonly load: () => void;
  readonly set: (value: T) => void;
}

/** `params` must be the same object from one drawing to the next. */
export function useCall<K extends CallName>(name: K, params: ParamsOf<K>): Asked<ResultOf<K>> {
  const { client } = useFrame().stores;
  const [state, setState] = useState<Shadowed<ResultOf<K>>>({ type: "loading" });
  const set = useCallback((value: ResultOf<K>) => setState({ type: "loaded", value }), []);
  const load = useCallback(() => {
    client
      .call(name, params)
      .then(set, (reason: unknown) => setState({ type: "failed", message: messageOf(reason) }));
  }, [client, name, params, set]);
  useEffect(load, [load]);
  return { state, load, set };
}
