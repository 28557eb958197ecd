/** A task with a limit in time, which may also be stopped from outside. */
import type { Clock } from "../base/clock.ts";
import { OwnkeyError } from "../base/errors.ts";

/** Throws `network` when `ms` are over, naming who did not answer; and whatever `signal` gives as its reason. */
export async function within<T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  who: string,
  task: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const callOff = clock.after(ms, () =>
    stop.abort(new OwnkeyError("network", `${who} gave no answer within ${ms / 1000} s.`)),
  );
  const any = AbortSignal.any([signal, stop.signal]);
  const { promise: stopped, reject } = Promise.withResolvers<never>();
  const onAbort = () => reject(any.reason);
  any.addEventListener("abort", onAbort, { once: true });
  try {
    any.throwIfAborted();
    return await Promise.race([task(any), stopped]); // a name that is being resolved cannot be stopped
  } finally {
    any.removeEventListener("abort", onAbort);
    callOff();
  }
}
