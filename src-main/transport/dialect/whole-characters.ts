/**
 * Half characters, joined. A provider may cut its text within a surrogate pair; each piece alone would reach the client
 * as U+FFFD, since protobuf strings hold whole characters only. So the first half waits for the next piece.
 */
import type { LoopEvent } from "../../loop/types.ts";

export class WholeCharacters {
  /** The half that waits, by block. */
  readonly #halves = new Map<number, string>();

  /** The event with its text as far as it is whole. */
  join(event: LoopEvent): LoopEvent {
    switch (event.type) {
      case "text_delta":
      case "thinking_delta":
      case "tool_call_delta":
        return { ...event, text: this.#whole(event.index, event.text) };
      default:
        return event;
    }
  }

  #whole(index: number, text: string): string {
    const joined = (this.#halves.get(index) ?? "") + text;
    const last = joined.charCodeAt(joined.length - 1);
    const isHalf = last >= 0xd800 && last <= 0xdbff;
    if (isHalf) this.#halves.set(index, joined.slice(-1));
    else this.#halves.delete(index);
    return isHalf ? joined.slice(0, -1) : joined;
  }
}
