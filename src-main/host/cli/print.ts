/** What the command line writes: stdout holds what a command is for, stderr everything else. */
import { stripVTControlCharacters } from "node:util";

/** Foreign text goes through `plain` first. */
export const print = (line: string): unknown => process.stdout.write(`${line}\n`);

/** For people. */
export const tell = (line: string): unknown => process.stderr.write(`${plain(line)}\n`);

/** Lines as they are, but to a terminal without what it would act upon. */
export const printText = (text: string): unknown =>
  process.stdout.write(process.stdout.isTTY ? withoutInvisible(text) : text);

const withoutInvisible = (text: string): string =>
  stripVTControlCharacters(text).replaceAll(invisible, (found) => (/[\n\t]/.test(found) ? found : ""));

/** One line; what a terminal would act upon is escaped, so that nothing is lost. */
export const printJson = (value: unknown): unknown =>
  print(JSON.stringify(value).replaceAll(invisible, escaped));

/** Columns, each as wide as its widest cell. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const clean = rows.map((row) => row.map(plain));
  const widths = (clean[0] ?? []).map((_, column) =>
    Math.max(...clean.map((row) => row[column]?.length ?? 0)),
  );
  for (const row of clean)
    print(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    );
}

/** One line for a terminal: nothing that moves its cursor, recolours it or turns the reading direction. */
export const plain = (text: string): string =>
  stripVTControlCharacters(text)
    .replaceAll(/[\n\t]+/g, " ")
    .replaceAll(invisible, "");

/** To the minute, in universal time. */
export const printedTime = (ms: number | null): string =>
  ms === null ? "never" : new Date(ms).toISOString().slice(0, 16).replace("T", " ");

/** Control characters, zero-width and direction marks, tag characters. */
const invisible = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/gu;

const escaped = (character: string): string =>
  character.replaceAll(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
