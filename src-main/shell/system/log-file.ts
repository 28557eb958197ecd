/** The log as files: what grows too long is set aside as .1, .2 ...; nothing that is a secret is written. */
import { appendFileSync, mkdirSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";

export interface LogFile {
  readonly folder: string;
  write(line: string): void;
  /** From now on; what is written before the program is open holds no secret yet. */
  redactWith(redact: (text: string) => string): void;
}

const mostBytes = 2 * 1024 * 1024;
const kept = 3;

export function openLogFile(dataDir: string, limit = mostBytes): LogFile {
  const folder = join(dataDir, "logs");
  const file = join(folder, "ownkey.log");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  let redact = (text: string) => text;

  function turn(): void {
    for (let at = kept - 1; at >= 0; at--) {
      const from = at === 0 ? file : `${file}.${at}`;
      if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${file}.${at + 1}`);
    }
    size = 0;
  }

  return {
    folder,
    redactWith(other) {
      redact = other;
    },
    write(line) {
      const text = redact(line);
      try {
        if (size > 0 && size + text.length > limit) turn();
        appendFileSync(file, text, { mode: 0o600 });
        size += Buffer.byteLength(text);
      } catch {
        // A full disk must not end the program for the sake of its log.
      }
    },
  };
}
