/** Answers that have a part of ours: their server is asked as the client asked, and our part is put behind its answer. */
import { OwnkeyError } from "../base/errors.ts";
import { inflate } from "../transport/wire/envelope.ts";
import { additionOf, addTo, type OfferedModel } from "./merge.ts";
import { passAnswer, type Request, type Response, sendBytes } from "./pass.ts";
import { pairs, valuesOf } from "./raw-headers.ts";
import type { Rule } from "./rules.ts";
import type { Answer } from "./upstream.ts";

/** Asks their server, with these headers in place of the request's. */
type Ask = (headers: readonly string[]) => Promise<Answer>;

const largestCatalogue = 64 * 1024 * 1024;

export async function add(
  rule: Extract<Rule, { type: "add" }>,
  request: Request,
  response: Response,
  ask: Ask,
  models: readonly OfferedModel[],
): Promise<void> {
  if (rule.what !== "configuration" && models.length === 0)
    return passAnswer(await ask(request.rawHeaders), response);
  const addition = additionOf(rule.what, models);
  const answer = await askPlainly(request, ask, rule.alone);
  if (answer && answer.status !== 200) return passAnswer(answer, response);
  const asked = request.headers["content-type"] ?? "application/json";
  const type = answer ? (valuesOf(answer.headers, "content-type")[0] ?? "") : asked;
  const body = answer ? await readAll(answer) : emptyOf(type);
  const kept = answer ? answer.headers : ["content-type", type];
  sendBytes(response, withoutBody(kept), addTo(body, type, addition));
}

/** null: their server cannot be reached, or is not well, and ours may stand alone. */
async function askPlainly(request: Request, ask: Ask, alone: boolean): Promise<Answer | null> {
  // What is to be added to must not be compressed.
  const headers = pairs(request.rawHeaders).flatMap(([name, value]) =>
    /^(connect-)?accept-encoding$/i.test(name) ? [name, "identity"] : [name, value],
  );
  try {
    const answer = await ask(headers);
    if (!alone || answer.status < 500) return answer;
    answer.body.destroy();
    return null;
  } catch (reason) {
    if (alone && OwnkeyError.from(reason).kind === "network") return null;
    throw reason;
  }
}

async function readAll({ body, headers }: Answer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > largestCatalogue)
      throw new OwnkeyError("limit", "The catalogue of Cursor's server is too large.");
  }
  const bytes = Buffer.concat(chunks);
  const [encoding = "identity"] = valuesOf(headers, "content-encoding");
  return encoding === "identity" ? bytes : Buffer.from(inflate(bytes, encoding));
}

const emptyOf = (type: string): Buffer =>
  type.startsWith("application/json") ? Buffer.from("{}") : Buffer.alloc(0);

/** Headers without what was true of the bytes as they came. */
const withoutBody = (headers: readonly string[]): string[] =>
  pairs(headers)
    .filter(
      ([name]) => !/^(content-length|content-encoding|transfer-encoding|trailer|etag|:status)$/i.test(name),
    )
    .flat();

/** Answers with nothing, in the type that was asked. */
export function empty(request: Request, response: Response): void {
  request.resume();
  const type = request.headers["content-type"] ?? "application/proto";
  sendBytes(response, ["content-type", type], emptyOf(type));
}
