/** How fast answers arrive: tokens a second over the last seconds, estimated from their text at four characters each. */
import type { Clock } from "../../base/clock.ts";
import type { Client } from "../../contract/contract.ts";

export interface PaceOptions {
  readonly client: Pick<Client, "on">;
  readonly clock: Clock;
  isBusy(): boolean;
  /** A whole number, every two seconds while something is at work and once after: a menu that is open would flicker. */
  show(tokensPerSecond: number): void;
}

export interface Pace {
  /** Something may be at work now. */
  look(): void;
  close(): void;
}

const everyMs = 2000;
const windowMs = 4000;
const charactersPerToken = 4;

export function createPace({ client, clock, isBusy, show }: PaceOptions): Pace {
  let heard: { readonly atMs: number; readonly characters: number }[] = [];
  let callOff: (() => void) | null = null;

  const stop = client.on("live.heard", (pieces) => {
    const now = clock.now();
    const characters = pieces.reduce((sum, { text }) => sum + text.length, 0);
    heard = [...heard.filter(({ atMs }) => now - atMs < windowMs), { atMs: now, characters }];
  });

  function pace(): number {
    const now = clock.now();
    const fresh = heard.filter(({ atMs }) => now - atMs < windowMs);
    const characters = fresh.reduce((sum, each) => sum + each.characters, 0);
    return Math.round(characters / charactersPerToken / (windowMs / 1000));
  }

  function look(): void {
    if (callOff || !isBusy()) return;
    callOff = clock.after(everyMs, () => {
      callOff = null;
      show(isBusy() ? pace() : 0);
      look();
    });
  }

  return {
    look,
    close() {
      stop();
      callOff?.();
    },
  };
}
