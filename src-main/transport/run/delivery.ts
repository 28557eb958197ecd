/**
 * What was shown, and how much of it is known to have arrived.
 *
 * The answer to a kv get_blob proves that everything written before it was taken (seen). Such a mark stands behind
 * each checkpoint and behind at most a fifth of a second of text. What follows the last proven mark is sent again to an
 * attempt that comes back: of what a connection was given, nobody knows how much the client has. A card that comes
 * twice is one card; text that comes twice is doubled, so text in doubt is not continued but repeated from the
 * beginning of its answer.
 */
type Shown =
  /** A new answer begins here. */
  | { readonly type: "answer" }
  /** held: text that no connection was given yet, since there was none. */
  | { readonly type: Kind; readonly bytes: Buffer };

type Kind = "text" | "held" | "other";

export interface Again {
  /** Stands before any text. */
  readonly before: readonly Buffer[];
  /** From the first text that is in doubt on: the whole answer that it is of, behind a boundary. Empty: none is. */
  readonly doubtful: readonly Buffer[];
}

export class Delivery {
  #unproven: Shown[] = [];
  /** Proven text of the answer in hand. */
  #text: Buffer[] = [];
  /** The newest of it, not joined yet. */
  #fresh: Buffer[] = [];
  #freshType: Kind = "other";
  /** How much was ever proven; marks count from the beginning. */
  #proven = 0;
  readonly #marks = new Map<number, { readonly position: number; readonly commitId: Uint8Array | null }>();

  answerBegins(): void {
    this.join();
    this.#unproven.push({ type: "answer" });
  }

  shown(bytes: Buffer, type: Kind): void {
    if (type !== this.#freshType) this.join();
    this.#freshType = type;
    this.#fresh.push(bytes);
  }

  /** Makes one buffer of what was shown since: small ones that live for a second are dear to collect. */
  join(): void {
    if (this.#fresh.length === 0) return;
    this.#unproven.push({ type: this.#freshType, bytes: Buffer.concat(this.#fresh) });
    this.#fresh = [];
  }

  /** What an attempt that comes back has to be given; it counts as given then. */
  again(): Again {
    this.join();
    const all = this.#unproven;
    const first = all.findIndex(({ type }) => type === "text");
    this.#unproven = all.map((each) => (each.type === "held" ? { ...each, type: "text" } : each));
    if (first < 0) return { before: bytesOf(all), doubtful: [] };
    const before = all.slice(0, first);
    const isOfProven = !before.some(({ type }) => type === "answer");
    const text = isOfProven ? this.#text : [];
    return { before: bytesOf(before), doubtful: [...text, ...bytesOf(all.slice(first))] };
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
    for (const shown of this.#unproven.splice(0, Math.max(mark.position - this.#proven, 0))) {
      this.#proven++;
      if (shown.type === "answer") this.#text = [];
      else if (shown.type !== "other") this.#text.push(shown.bytes);
    }
    return { commitId: mark.commitId };
  }

  /** The client brought that checkpoint: what stands before it has arrived, whether or not its mark was answered. */
  brought(commitId: Uint8Array): void {
    for (const [kvId, mark] of this.#marks)
      if (mark.commitId && Buffer.compare(mark.commitId, commitId) === 0) this.answered(kvId);
  }

  /** Marks of an attempt that is over will never be answered. */
  forgetMarks(): void {
    this.#marks.clear();
  }
}

const bytesOf = (shown: readonly Shown[]): readonly Buffer[] =>
  shown.flatMap((each) => (each.type === "answer" ? [] : [each.bytes]));
