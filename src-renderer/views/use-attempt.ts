/** Something that changes the computer and may be refused: one at a time, with what went wrong. */
import { useState } from "react";
import { messageOf } from "../stores/shadow.ts";

export interface Attempt {
  readonly isAtWork: boolean;
  readonly error: string | null;
  readonly run: (work: () => Promise<unknown>) => void;
}

export function useAttempt(): Attempt {
  const [isAtWork, setIsAtWork] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = (work: () => Promise<unknown>) => {
    setIsAtWork(true);
    setError(null);
    work()
      .catch((reason: unknown) => setError(messageOf(reason)))
      .finally(() => setIsAtWork(false));
  };
  return { isAtWork, error, run };
}
