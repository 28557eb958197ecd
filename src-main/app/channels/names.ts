/** What channels are called: unique, and so that Cursor shows no two alike. */
import { OwnkeyError } from "../../base/errors.ts";

interface Named {
  readonly id: string;
  readonly name: string;
  /** What Cursor shows; "": the name. */
  readonly label: string;
}

/** Throws `config`. `own`: the id of the channel that is to be called so; null: it is new. */
export function checkNames(
  { name, label }: Omit<Named, "id">,
  own: string | null,
  all: readonly Named[],
): void {
  const others = all.filter((other) => other.id !== own);
  const same = others.find((other) => fold(other.name) === fold(name));
  if (same)
    throw new OwnkeyError("config", `There is a channel named "${same.name}" already. Choose another name.`);
  const shown = fold(label || name);
  const alike = others.find((other) => fold(other.label || other.name) === shown);
  if (alike)
    throw new OwnkeyError(
      "config",
      `Cursor would show this channel like "${alike.name}". Choose another label.`,
    );
}

/** The name itself where it is free, else "Name 2", "Name 3" ... */
export function freeName(name: string, all: readonly Named[]): string {
  const taken = new Set(all.flatMap((other) => [fold(other.name), fold(other.label)]));
  if (!taken.has(fold(name))) return name;
  const stem = name.replace(/ \d{1,4}$/, "").slice(0, 90);
  let number = 2;
  while (taken.has(fold(`${stem} ${number}`))) number++;
  return `${stem} ${number}`;
}

/** Case and width tell nobody apart. */
export const fold = (name: string): string => name.normalize("NFKC").toLowerCase();
