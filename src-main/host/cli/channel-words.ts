/** The fields of a channel as words of the command line, and back to values. */
import type { ChannelFields, ChannelSecrets } from "../../contract/channels.ts";
import { type Given, type Options, WrongUse } from "./command.ts";

type FieldKind =
  | "text"
  | "text or none"
  | "number"
  | "number or default"
  | "on or off"
  | "effort"
  | "words"
  | "json";

/** As they are called on the command line. */
export const fields: Readonly<Record<string, readonly [name: keyof ChannelFields, kind: FieldKind]>> = {
  name: ["name", "text"],
  format: ["format", "text"],
  "base-url": ["baseUrl", "text"],
  model: ["model", "text"],
  label: ["label", "text"],
  "context-window": ["contextWindow", "number"],
  "max-output-tokens": ["maxOutputTokens", "number or default"],
  temperature: ["temperature", "number or default"],
  "top-p": ["topP", "number or default"],
  tools: ["tools", "on or off"],
  images: ["images", "on or off"],
  thinking: ["thinking", "on or off"],
  "prompt-cache": ["promptCache", "on or off"],
  "parallel-tools": ["parallelTools", "on or off"],
  effort: ["effort", "effort"],
  instructions: ["instructions", "text"],
  auth: ["auth", "text"],
  "extra-headers": ["extraHeaders", "json"],
  "secret-headers": ["secretHeaders", "words"],
  "extra-body": ["extraBody", "json"],
  "connect-timeout": ["connectTimeout", "number"],
  "first-token-timeout": ["firstTokenTimeout", "number"],
  "idle-timeout": ["idleTimeout", "number"],
  tries: ["tries", "number"],
  concurrency: ["concurrency", "number or default"],
  proxy: ["proxy", "text"],
  "ca-file": ["caFile", "text or none"],
  prices: ["prices", "json"],
  "allows-plain-http": ["allowsPlainHttp", "on or off"],
  quirks: ["quirks", "json"],
  note: ["note", "text"],
  colour: ["colour", "text or none"],
};

export const aboutFields = [
  "--label NAME           what Cursor shows, where that is not the name",
  "--context-window N     tokens that the model takes",
  "--max-output-tokens N  tokens that it may answer; a number, or default: the server's own",
  "--temperature N        a number, or default",
  "--top-p N              a number, or default",
  "--tools on|off         whether it is offered tools; likewise --images, --thinking, --prompt-cache, --parallel-tools",
  "--effort LEVEL         how much it thinks: default, off, low, medium, high, or a budget in tokens",
  "--auth WHERE           format, bearer, x-api-key, x-goog-api-key or header:NAME",
  "--extra-headers JSON   likewise --extra-body, --prices, --quirks",
  "--connect-timeout S    seconds; likewise --first-token-timeout, --idle-timeout",
  "--proxy WAY            app, none, or http://, https://, socks5:// with host and port",
  "--ca-file FILE         certificates to trust beside the system's",
];

export const secretOptions: Options = { "header-env": "text", "proxy-password-env": "text" };
export const aboutSecrets = [
  "--header-env NAME=VAR  takes the value of a secret header from that environment variable",
  "--proxy-password-env VAR  takes user:password for the proxy from there",
];

/** undefined: nothing was said. */
export function readSecrets(given: Given): ChannelSecrets | undefined {
  const header = given.text("header-env");
  const proxy = given.text("proxy-password-env");
  if (header === undefined && proxy === undefined) return undefined;
  const [name = "", variable = ""] = header?.split("=", 2) ?? [];
  return {
    ...(header === undefined ? {} : { headers: { [name]: fromEnvironment(variable) } }),
    ...(proxy === undefined ? {} : { proxy: fromEnvironment(proxy) }),
  };
}

/** Throws `WrongUse`. */
export function fromEnvironment(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new WrongUse(`The environment variable ${variable} is not set.`);
  return value;
}

/** "base-url=https://..." and "baseUrl=https://..." alike. Throws `WrongUse`. */
export function pairOf(word: string): readonly [string, string] {
  const at = word.indexOf("=");
  if (at < 1) throw new WrongUse("Each change is FIELD=VALUE.");
  const name = word.slice(0, at).replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  if (/key/.test(name))
    throw new WrongUse("A key never stands on the command line: use --key-env or --key-stdin.");
  return [name, word.slice(at + 1)];
}

/** Throws `WrongUse`. */
export function fieldsOf(pairs: readonly (readonly [string, string])[]): Partial<ChannelFields> {
  return Object.fromEntries(
    pairs.map(([name, text]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (!field)
        throw new WrongUse(`There is no field "${name}". There are: ${Object.keys(fields).join(", ")}.`);
      return [field[0], parseValue(name, field[1], text)];
    }),
  );
}

function parseValue(name: string, kind: FieldKind, text: string): unknown {
  switch (kind) {
    case "text":
      return text;
    case "text or none":
      return text === "none" ? null : text;
    case "number or default":
      return text === "default" ? null : numberOf(name, text);
    case "number":
      return numberOf(name, text);
    case "effort":
      return /^\d+$/.test(text) ? Number(text) : text;
    case "words":
      return text.split(/[\s,]+/).filter((word) => word !== "");
    case "json":
      return jsonOf(name, text);
    case "on or off":
      if (/^(on|true|yes)$/i.test(text)) return true;
      if (/^(off|false|no)$/i.test(text)) return false;
      throw new WrongUse(`${name} is on or off, not "${text}".`);
  }
}

function numberOf(name: string, text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number))
    throw new WrongUse(`${name} must be a number, not "${text}".`);
  return number;
}

/** What it holds is the program's to judge. */
function jsonOf(name: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new WrongUse(`${name} must be JSON.`);
  }
}
