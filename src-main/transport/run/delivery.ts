/**
 * What was shown, and how much of it is known to have arrived.
 *
 * The answer to a kv get_blob proves that everything written before it was taken (seen). Such a mark stands behind
 * each checkpoint and behind at most a fifth of a second of text. What follows the last proven mark is sent again to an
 * attempt that comes back: of what a connection was given, nobody knows how much the client has. A card that comes
 * twice is one card; text that comes twice is doubled, so text in doubt is not continued but repeated from the
 * beginning of its answer. Only what was written in the last moment before the end of the connection was noticed
 * counts as not arrived: a connection that breaks ends on both sides at once, and what comes then goes nowhere.
 */
import { toHex } from "../../base/hash.ts";

type Shown =
  /** A new answer begins here. */
  | { readonly type: "answer" }
  /** held: text that did not go anywhere, since there was no connection. `at`: the time of its end, in ms. */
  | { readonly type: Kind; readonly bytes: Buffer; readonly at: number };

type Kind = "text" | "held" | "other";

const lastMomentMs = 50;

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
  #freshAt = 0;
  /** How much was ever proven; marks count from the beginning. */
  #proven = 0;
  /** How much was shown before a checkpoint, by its commit. */
  readonly #checkpoints = new Map<string, number>();
  readonly #marks = new Map<number, { readonly position: number; readonly commitId: Uint8Array | null }>();

  answerBegins(): void {
    this.join();
    this.#unproven.push({ type: "answer" });
  }

  shown(bytes: Buffer, type: Kind, now: number): void {
    if (type !== this.#freshType) this.join();
    this.#freshType = type;
    this.#freshAt = now;
    this.#fresh.push(bytes);
  }

  /** Makes one buffer of what was shown since: small ones that live for a second are dear to collect. */
  join(): void {
    if (this.#fresh.length === 0) return;
    this.#unproven.push({ type: this.#freshType, bytes: Buffer.concat(this.#fresh), at: this.#freshAt });
    this.#fresh = [];
  }

  /** The connection has ended. */
  lost(now: number): void {
    this.join();
    this.#unproven = this.#unproven.map((each) =>
      each.type === "text" && each.at > now - lastMomentMs ? { ...each, type: "held" } : each,
    );
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

  /** A checkpoint is sent now, behind all that was shown. */
  saved(commitId: Uint8Array): void {
    this.join();
    this.#checkpoints.set(toHex(commitId), this.#proven + this.#unproven.length);
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
    this.#prove(mark.position);
    return { commitId: mark.commitId };
  }

  /** The client brought that checkpoint: what stands before it has arrived, whether or not its mark was answered. */
  brought(commitId: Uint8Array): void {
    this.join();
    this.#prove(this.#checkpoints.get(toHex(commitId)) ?? 0);
  }

  /** Marks of an attempt that is over will never be answered. */
  forgetMarks(): void {
    this.#marks.clear();
  }

  #prove(position: number): void {
    for (const shown of this.#unproven.splice(0, Math.max(position - this.#proven, 0))) {
      this.#proven++;
      if (shown.type === "answer") this.#text = [];
      else if (shown.type !== "other") this.#text.push(shown.bytes);
    }
  }
}

const bytesOf = (shown: readonly Shown[]): readonly Buffer[] =>
  shown.flatMap((each) => (each.type === "answer" ? [] : [each.bytes]));
