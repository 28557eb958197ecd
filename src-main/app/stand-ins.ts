/**
 * Tests put stand-ins in the place of Cursor's servers: OWNKEY_TEST_UPSTREAM=host=127.0.0.1:port,... and
 * OWNKEY_TEST_UPSTREAM_CA=FILE. Loopback only, and only when the program runs from its sources: in a build nobody's
 * environment can turn Cursor's traffic elsewhere.
 */
import { readFileSync } from "node:fs";
import { OwnkeyError } from "../base/errors.ts";

export interface Place {
  readonly host: string;
  readonly port: number;
}

export interface StandIns {
  readonly places: ReadonlyMap<string, Place>;
  /** PEM, beside the usual authorities. */
  readonly authorities: readonly string[];
}

/** Throws `config` for what is not allowed or not readable. */
export function readStandIns(
  env: Readonly<Record<string, string | undefined>>,
  isFromSources = import.meta.filename.endsWith(".ts"),
): StandIns {
  const { OWNKEY_TEST_UPSTREAM: places, OWNKEY_TEST_UPSTREAM_CA: file } = env;
  if (!places && !file) return { places: new Map(), authorities: [] };
  if (!isFromSources)
    throw new OwnkeyError("config", "OWNKEY_TEST_UPSTREAM is for tests from the sources. Remove it.");
  return {
    places: new Map((places ?? "").split(",").filter(Boolean).map(placeOf)),
    authorities: file ? [readFileSync(file, "utf8")] : [],
  };
}

function placeOf(text: string): [host: string, place: Place] {
  const [, host = "", port = ""] = /^([\w.-]+)=127\.0\.0\.1:(\d{1,5})$/.exec(text.trim()) ?? [];
  if (!host)
    throw new OwnkeyError("config", "OWNKEY_TEST_UPSTREAM takes host=127.0.0.1:port, and commas between.");
  return [host, { host: "127.0.0.1", port: Number(port) }];
}
