/**
 * The program's log: one JSON object a line on stderr.
 *
 * Foreign text goes in as a JSON value, cut to 500 characters, never into the message. Addresses, headers and bodies
 * are not logged at all: they carry secrets.
 */
import { destination, pino } from "pino";

export type Fields = Readonly<Record<string, string | number | boolean | null>>;

export interface Log {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
}

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";

const longest = 500;

export function createLog(level: LogLevel, write?: (line: string) => void): Log {
  const target = write ? { write } : destination({ dest: 2, sync: true });
  const logger = pino({ level, base: null, timestamp: () => `,"time":${Date.now()}` }, target);
  const at =
    (name: Exclude<LogLevel, "silent">) =>
    (message: string, fields: Fields = {}) =>
      logger[name](cut(fields), message);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

const cut = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [key, typeof value === "string" ? harmless(value) : value]),
  );

/** JSON leaves some characters as they are that steer a terminal, hide, or turn the reading order round. */
function harmless(text: string): string {
  const short = text.length > longest ? `${text.slice(0, longest)}…` : text;
  return short.replaceAll(
    /[\u007f-\u009f\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  );
}
