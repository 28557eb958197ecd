/** An answer's body as text: bounded after decompression, in the charset it names, and refused when it is no text. */
import { pipeline, type Readable } from "node:stream";
import { createBrotliDecompress, createInflate, createUnzip } from "node:zlib";
import { OwnkeyError } from "../base/errors.ts";

interface Answer {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readable;
}

/** Of a page, decompressed. A longer one is cut, since its beginning is worth having. */
const pageBytes = 2 * 1024 * 1024;

/** Throws `upstream` with a sentence that begins with `name` when it is no text, or its encoding is unknown. */
export async function readText(
  { headers, body }: Answer,
  name: string,
): Promise<{ readonly text: string; readonly isHtml: boolean }> {
  const type = String(headers["content-type"] ?? "").toLowerCase();
  const mimeType = (type.split(";")[0] ?? "").trim();
  if (mimeType !== "" && !isTextType(mimeType)) throw noText(name, mimeType);
  const bytes = await readBytes(decompressed(body, headers["content-encoding"], name), pageBytes);
  const start = bytes.subarray(0, 1024);
  if (start.includes(0)) throw noText(name, mimeType || "of an unknown kind");
  const isHtml =
    /html/.test(mimeType) || (mimeType === "" && /^\s*<(?:!doctype|html)/i.test(start.toString("latin1")));
  return { text: decode(bytes, charsetOf(type) ?? (isHtml ? metaCharsetOf(start) : null)), isHtml };
}

/** At most `limit` bytes; what is beyond is neither read nor inflated. */
export async function readBytes(body: AsyncIterable<Buffer>, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= limit) break;
  }
  return Buffer.concat(chunks).subarray(0, limit);
}

const isTextType = (mimeType: string): boolean =>
  /^text\/|^application\/(?:[\w.-]+\+)?(?:json|xml|yaml|toml|javascript)$|^application\/(?:x-yaml|x-javascript|x-ndjson|x-sh|ecmascript|sql|graphql)$|^image\/svg\+xml$/.test(
    mimeType,
  );

const noText = (name: string, mimeType: string) =>
  new OwnkeyError("upstream", `${name} is not text but ${mimeType}; only text can be read.`);

function decompressed(body: Readable, encoding: string | string[] | undefined, name: string): Readable {
  const inflate = inflaterOf(String(encoding ?? "").toLowerCase(), name);
  // An error of either is thrown by whoever reads the last one.
  return inflate ? pipeline(body, inflate, () => {}) : body;
}

function inflaterOf(encoding: string, name: string) {
  switch (encoding) {
    case "":
    case "identity":
      return null;
    case "gzip":
    case "x-gzip":
      return createUnzip();
    case "deflate":
      return createInflate();
    case "br":
      return createBrotliDecompress();
    default:
      throw new OwnkeyError("upstream", `${name} is encoded as ${encoding}, which was not asked for.`);
  }
}

function decode(bytes: Buffer, charset: string | null): string {
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // a charset nobody knows
  }
}

const charsetOf = (type: string): string | null => /charset="?([\w.:-]+)/.exec(type)?.[1] ?? null;

const metaCharsetOf = (start: Buffer): string | null =>
  /<meta[^>]{0,200}?charset=["']?([\w.:-]+)/i.exec(start.toString("latin1"))?.[1] ?? null;
