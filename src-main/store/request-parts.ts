/**
 * What requests have in common: systems, tools, options, and the setup that names them; each stored once, by its hash.
 *
 * A setup is the same object for all calls of a run, so its hashes are computed once.
 */
import type { Database } from "better-sqlite3";
import { OwnkeyError } from "../base/errors.ts";
import { sha256, toHex } from "../base/hash.ts";
import { canonical, type Json } from "../base/json.ts";
import type { LlmOptions, LlmRequest, ToolSpec } from "../llm/types.ts";
import { encodeOptions, encodeTools } from "../loop/history.ts";
import type { Setup } from "../loop/types.ts";

export interface PartHashes {
  readonly system: Uint8Array;
  readonly tools: Uint8Array;
  readonly options: Uint8Array;
}

interface Part {
  readonly hash: Uint8Array;
  readonly bytes: string;
}

interface SetupParts {
  readonly system: Part;
  readonly tools: Part;
  readonly options: Part;
  readonly setup: Part;
}

/** A setup with its three big parts by the hex of their hashes. */
type SetupJson = Omit<Setup, keyof PartHashes> & { readonly [K in keyof PartHashes]: string };

export type RequestParts = ReturnType<typeof createRequestParts>;

export function createRequestParts(db: Database) {
  const insert = db.prepare("INSERT INTO request_parts (hash, bytes) VALUES (?, ?) ON CONFLICT DO NOTHING");
  const select = db.prepare<[Uint8Array], string>("SELECT bytes FROM request_parts WHERE hash = ?").pluck();
  const known = new WeakMap<Setup, SetupParts>();

  const partsOf = (setup: Setup): SetupParts => {
    const found = known.get(setup);
    if (found) return found;
    const parts = encode(setup);
    known.set(setup, parts);
    return parts;
  };

  /** Throws `bug` when the part is not there, or not what was written. */
  const read = (hash: Uint8Array): string => {
    const bytes = select.get(hash);
    if (bytes !== undefined && Buffer.compare(sha256(bytes), hash) === 0) return bytes;
    throw new OwnkeyError(
      "bug",
      `The stored request part ${toHex(hash)} is ${bytes === undefined ? "missing" : "changed"}.`,
    );
  };

  const request = (hashes: PartHashes): Omit<LlmRequest, "messages"> => ({
    system: read(hashes.system),
    tools: JSON.parse(read(hashes.tools)) as readonly ToolSpec[],
    options: JSON.parse(read(hashes.options)) as LlmOptions,
  });

  return {
    /** Stores what is new of it; returns the hash that `setup` takes. */
    put(setup: Setup): Uint8Array {
      const parts = partsOf(setup);
      for (const { hash, bytes } of Object.values<Part>({ ...parts })) insert.run(hash, bytes);
      return parts.setup.hash;
    },
    hashesOf(setup: Setup): PartHashes {
      const { system, tools, options } = partsOf(setup);
      return { system: system.hash, tools: tools.hash, options: options.hash };
    },
    setup(hash: Uint8Array): Setup {
      const { system, tools, options, ...rest } = JSON.parse(read(hash)) as SetupJson;
      return {
        ...rest,
        ...request({ system: fromHex(system), tools: fromHex(tools), options: fromHex(options) }),
      };
    },
    request,
  };
}

function encode(setup: Setup): SetupParts {
  const { system, tools, options, ...rest } = setup;
  const parts = {
    system: part(system),
    tools: part(encodeTools(tools)),
    options: part(encodeOptions(options)),
  };
  const json: SetupJson = {
    ...rest,
    system: toHex(parts.system.hash),
    tools: toHex(parts.tools.hash),
    options: toHex(parts.options.hash),
  };
  return { ...parts, setup: part(canonical(json as unknown as Json)) };
}

const part = (bytes: string): Part => ({ hash: sha256(bytes), bytes });

const fromHex = (hex: string): Uint8Array => Buffer.from(hex, "hex");
