/** What an API family has to bring along; create.ts has a row for each. */
import type { Clock } from "../base/clock.ts";
import type { Limits } from "./guard.ts";
import type { Llm } from "./llm.ts";
import type { Tap } from "./tap.ts";
import type { Channel } from "./types.ts";

export interface Format {
  /** The address that the channel's requests go to. */
  requestUrl(channel: Channel): string;
  /** `apiKey` null: the server wants none. Loads nothing and opens nothing before the first request. */
  create(channel: Channel, apiKey: string | null, surroundings: Surroundings): Llm;
}

export interface Surroundings {
  readonly clock: Clock;
  readonly limits: Limits;
  /** null: nobody listens. */
  readonly tap: Tap | null;
}
