/**
 * run.json: how the command line finds the running program of a data folder.
 *
 * Rule: the token is sent only after the other side has proven that it knows it, by an HMAC over a nonce of ours. So
 * a file left behind by a crash is recognised, and whoever took the port since then learns nothing.
 */
import { randomBytes } from "node:crypto";
import { unlinkSync } from "node:fs";
import { join } from "node:path";
import { createPrivate, type Folder, readPrivate } from "../app/folder.ts";
import { proofOf } from "../app/sessions.ts";
import { isSameSecret } from "../base/hash.ts";
import { isObject, type Json, parseJson } from "../base/json.ts";
import { postJson } from "./http.ts";

export interface Running {
  readonly pid: number;
  readonly port: number;
  readonly token: string;
}

/** Writes the file in place of a stale one. The returned function removes it, if it is still ours. */
export function announce(folder: Folder, running: Running): () => void {
  const file = fileIn(folder);
  if (!createPrivate(file, JSON.stringify(running))) {
    unlinkSync(file);
    createPrivate(file, JSON.stringify(running));
  }
  return () => {
    if (read(folder)?.token === running.token) unlinkSync(file);
  };
}

/** The program that runs on this folder; null when none does, whatever the file says. */
export async function findRunning(folder: Folder): Promise<Running | null> {
  const running = read(folder);
  return running && (await isReal(running)) ? running : null;
}

async function isReal({ port, token }: Running): Promise<boolean> {
  const nonce = randomBytes(24).toString("base64url");
  try {
    const reply = await postJson({ port, path: "/challenge", body: { nonce }, timeoutMs: 5000 });
    const proof = isObject(reply) ? reply.proof : undefined;
    return typeof proof === "string" && isSameSecret(proof, proofOf(token, nonce));
  } catch {
    return false;
  }
}

function read(folder: Folder): Running | null {
  const bytes = readPrivate(fileIn(folder));
  if (!bytes) return null;
  try {
    return runningOf(parseJson(bytes.toString("utf8")));
  } catch {
    return null;
  }
}

function runningOf(json: Json): Running | null {
  if (!isObject(json)) return null;
  const { pid, port, token } = json;
  return typeof pid === "number" && typeof port === "number" && typeof token === "string"
    ? { pid, port, token }
    : null;
}

const fileIn = (folder: Folder): string => join(folder.secrets, "run.json");
