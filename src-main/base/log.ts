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
    Object.entries(fields).map(([key, value]) => [
      key,
      typeof value === "string" && value.length > longest ? `${value.slice(0, longest)}…` : value,
    ]),
  );
