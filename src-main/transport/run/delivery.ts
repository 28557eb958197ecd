/**
 * What was shown, and how much of it is known to have arrived.
 *
 * The answer to a kv get_blob proves that everything written before it was taken (seen). Such a mark stands behind
 * each checkpoint and behind at most a fifth of a second of text; what follows the last proven mark is sent again to an
 * attempt that comes back. Replaying more would double text and cards in the client, less would lose some.
 */
export class Delivery {
  #unproven: Buffer[] = [];
  /** The newest of it, not joined yet. */
  #fresh: Buffer[] = [];
  /** How many buffers were ever proven; marks count from the beginning. */
  #proven = 0;
  readonly #marks = new Map<number, { readonly position: number; readonly commitId: Uint8Array | null }>();

  get unproven(): readonly Buffer[] {
    this.join();
    return this.#unproven;
  }

  shown(envelope: Buffer): void {
    this.#fresh.push(envelope);
  }

  /** Makes one buffer of what was shown since: small ones that live for a second are dear to collect. */
  join(): void {
    if (this.#fresh.length === 0) return;
    this.#unproven.push(Buffer.concat(this.#fresh));
    this.#fresh = [];
  }

  /** Everything shown so far stands before the question `kvId`. `commitId`: the checkpoint it stands behind. */
  marked(kvId: number, commitId: Uint8Array | null): void {
    this.join();
    this.#marks.set(kvId, { position: this.#proven + this.#unproven.length, commitId });
  }

  /** The question was answered. Returns whether it was a mark, and the checkpoint that is now proven. */
  answered(kvId: number): { readonly commitId: Uint8Array | null } | null {
    const mark = this.#marks.get(kvId);
    if (!mark) return null;
    this.#marks.delete(kvId);
    if (mark.position > this.#proven) {
      this.#unproven = this.#unproven.slice(mark.position - this.#proven);
      this.#proven = mark.position;
    }
    return { commitId: mark.commitId };
  }

  /** Marks of an attempt that is over will never be answered. */
  forgetMarks(): void {
    this.#marks.clear();
  }
}
