/** Where what was started is to be ended: a test's context, or a program's own list. */
export interface Scope {
  after(end: () => void | Promise<void>): void;
}

/** `end` ends what was started, the newest first. */
export function openScope(): Scope & { end(): Promise<void> } {
  const ends: (() => void | Promise<void>)[] = [];
  return {
    after: (end) => void ends.push(end),
    async end() {
      for (let next = ends.pop(); next; next = ends.pop()) await next();
    },
  };
}
