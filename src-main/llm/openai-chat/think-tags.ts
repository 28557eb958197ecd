/**
 * Thinking inside the text, between tags, as local servers and MiniMax send it; a tag may be cut anywhere.
 *
 *   "<thi" "nk>\nplan it</th" "ink>\n\nAnswer"  ->  thinking "plan it", text "Answer"
 *
 * Only a tag at the very beginning opens thinking: elsewhere it is a word of the answer. White space around both
 * belongs to neither, and is kept with the tags, so that the text can go back byte for byte.
 */
import type { JsonObject } from "../../base/json.ts";

interface Taken {
  readonly thinking: string;
  readonly text: string;
  /** What stood before and after the thinking, once it is known. */
  readonly tags: JsonObject | null;
}

const opening = "<think>";
const closing = "</think>";
const nothing: Taken = { thinking: "", text: "", tags: null };

export class ThinkTags {
  #state: "beginning" | "thinking" | "between" | "text" = "beginning";
  /** What waits for its continuation. */
  #held = "";
  #before = "";
  #after = "";

  take(piece: string): Taken {
    if (this.#state === "text") return { ...nothing, text: piece };
    this.#held += piece;
    if (this.#state === "beginning") return this.#begin();
    return this.#state === "thinking" ? this.#think() : this.#passOver();
  }

  /** No more text comes: what waits is what it looks like. */
  end(): Taken {
    const held = this.#held;
    this.#held = "";
    switch (this.#state) {
      case "beginning":
        return { ...nothing, text: held };
      case "thinking":
        return { ...nothing, thinking: held, tags: { before: this.#before, after: "" } };
      case "between":
        return { ...nothing, tags: this.#tags() };
      case "text":
        return nothing;
    }
  }

  #begin(): Taken {
    const start = this.#held.trimStart();
    if (start.length < opening.length && opening.startsWith(start)) return nothing;
    if (!start.startsWith(opening)) {
      this.#state = "text";
      return { ...nothing, text: this.#release() };
    }
    const inside = start.slice(opening.length).trimStart();
    if (inside === "") return nothing;
    this.#before = this.#held.slice(0, this.#held.length - inside.length);
    this.#held = inside;
    this.#state = "thinking";
    return this.#think();
  }

  #think(): Taken {
    const end = this.#held.indexOf(closing);
    if (end < 0) {
      const safe = this.#held.slice(0, this.#held.length - doubtful(this.#held));
      this.#held = this.#held.slice(safe.length);
      return { ...nothing, thinking: safe };
    }
    const thinking = this.#held.slice(0, end).trimEnd();
    this.#after = this.#held.slice(thinking.length, end + closing.length);
    this.#held = this.#held.slice(end + closing.length);
    this.#state = "between";
    return { ...this.#passOver(), thinking };
  }

  #passOver(): Taken {
    const text = this.#held.trimStart();
    if (text === "") return nothing;
    this.#after += this.#held.slice(0, this.#held.length - text.length);
    this.#state = "text";
    this.#held = "";
    return { ...nothing, text, tags: this.#tags() };
  }

  #tags(): JsonObject {
    return { before: this.#before, after: this.#after };
  }

  #release(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}

/** How many characters at the end may belong to the closing tag, or to the white space before it. */
function doubtful(text: string): number {
  let cut = 0;
  for (let length = Math.min(closing.length - 1, text.length); length > 0; length--) {
    if (!text.endsWith(closing.slice(0, length))) continue;
    cut = length;
    break;
  }
  const kept = text.slice(0, text.length - cut);
  return cut + kept.length - kept.trimEnd().length;
}
