/** How much of a result the model is sent, and how it is told what was left out. Characters are UTF-16 units. */

export const shellCharacters = 30_000;
export const awaitCharacters = 16_000;
export const readLines = 2_000;
export const readCharacters = 100_000;
export const lineCharacters = 2_000;
export const mcpCharacters = 40_000;
export const pageCharacters = 40_000;
export const webSearchCharacters = 16_384;
export const subagentCharacters = 40_000;
export const searchCharacters = 30_000;
export const matchCharacters = 500;
export const globFiles = 500;
export const lsLines = 500;
export const lintMessages = 200;
export const lintCharacters = 1_000;
export const mcpImages = 8;
export const imageBytes = 5 * 1024 * 1024;
export const mcpResources = 200;

/** Keeps the beginning and, since errors stand there, twice as much of the end. */
export function cutMiddle(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const head = whole(text.slice(0, Math.floor(limit / 3)));
  const tail = text.slice(text.length - (limit - head.length));
  const start = isLowSurrogate(tail) ? 1 : 0;
  const left = text.length - head.length - tail.length + start;
  return `${head}\n[${left} characters left out here]\n${tail.slice(start)}`;
}

export function cutEnd(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const kept = whole(text.slice(0, limit));
  return `${kept} [${text.length - kept.length} characters left out]`;
}

/** The lines from the first one on that fit together; at least one. */
export function fitting(lines: readonly string[], limit: number): readonly string[] {
  let characters = 0;
  const tooMany = lines.findIndex((line) => {
    characters += line.length + 1;
    return characters > limit;
  });
  return tooMany === -1 ? lines : lines.slice(0, Math.max(tooMany, 1));
}

/** Never ends within a surrogate pair: half a character is not valid in JSON for some servers. */
const whole = (text: string): string => (/[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text);

const isLowSurrogate = (text: string): boolean => /^[\uDC00-\uDFFF]/.test(text);
