/**
 * The client's messages of one attempt, in the order in which it sent them.
 *
 * Up to 16 appends are in flight on different sockets and overtake one another (seen: 0, 2, 1, 3, 4, 19, 20, 5).
 * A gap is waited for; a repeated number is dropped. Order is counted per request_id and dies with the attempt.
 */
import { OwnkeyError } from "../../base/errors.ts";

/** Of messages that wait for an earlier one. */
const maxWaitingBytes = 64 * 1024 * 1024;
const maxWaiting = 256;

export class Inbox<T> {
  #next = 0;
  #waitingBytes = 0;
  readonly #waiting = new Map<number, { readonly item: T; readonly bytes: number }>();
  readonly #deliver: (item: T) => void;

  constructor(deliver: (item: T) => void) {
    this.#deliver = deliver;
  }

  /** Of messages that wait for an earlier one. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  isDue(seqno: number): boolean {
    return seqno === this.#next;
  }

  /** Delivers what is due. Throws `limit` when more would have to wait than is reasonable. */
  push(seqno: number, item: T, bytes: number): void {
    if (seqno < this.#next || this.#waiting.has(seqno)) return;
    if (
      seqno !== this.#next &&
      (this.#waiting.size >= maxWaiting || this.#waitingBytes + bytes > maxWaitingBytes)
    )
      throw new OwnkeyError("limit", `Too much arrived before message ${this.#next} of this run.`);
    this.#waiting.set(seqno, { item, bytes });
    this.#waitingBytes += bytes;
    for (let due = this.#take(); due; due = this.#take()) this.#deliver(due.item);
  }

  #take(): { readonly item: T } | undefined {
    const due = this.#waiting.get(this.#next);
    if (!due) return undefined;
    this.#waiting.delete(this.#next);
    this.#waitingBytes -= due.bytes;
    this.#next++;
    return due;
  }
}
