/** Counts what an answer held and no adapter reads: new events, new fields, what providers add of their own. */
import { type Fields, isFields } from "./fields.ts";

/** Names are the provider's: not endless, and not endlessly many. */
const longestName = 80;
const mostNames = 50;

export class PassedOver {
  readonly #counts = new Map<string, number>();

  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  add(name: string): void {
    const short = name.slice(0, longestName);
    if (this.#counts.size < mostNames || this.#counts.has(short))
      this.#counts.set(short, (this.#counts.get(short) ?? 0) + 1);
  }

  /** The fields of `value` that are not `known` and hold something; `place`: what they stand in, with a dot. */
  addFields(value: unknown, known: ReadonlySet<string>, place: string): void {
    if (isFields(value)) for (const name in value) this.#addField(value, name, known, place);
  }

  #addField(value: Fields, name: string, known: ReadonlySet<string>, place: string): void {
    if (!known.has(name) && value[name] !== null) this.add(`${place}${name}`);
  }
}

export const names = (list: string): ReadonlySet<string> => new Set(list.split(" "));
