/** Answers that have a part of ours: their server is asked as the client asked, and our part is put behind its answer. */
import { OwnkeyError } from "../base/errors.ts";
import { inflate } from "../transport/wire/envelope.ts";
import { type Addition, additionOf, addTo, type OfferedModel } from "./merge.ts";
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
  if (answer) return addToAnswer(answer, response, addition);
  const type = request.headers["content-type"] ?? "application/json";
  sendBytes(response, ["content-type", type], addTo(emptyOf(type), type, addition));
}

/** What cannot be added to goes on as it came: it is Cursor's answer, and Cursor may understand it. */
async function addToAnswer(answer: Answer, response: Response, addition: Addition): Promise<void> {
  const { headers } = answer;
  const bytes = await readAll(answer);
  const [type = ""] = valuesOf(headers, "content-type");
  const [encoding = "identity"] = valuesOf(headers, "content-encoding");
  try {
    const body = encoding === "identity" ? bytes : Buffer.from(inflate(bytes, encoding));
    sendBytes(response, without(ofTheseBytes, headers), addTo(body, type, addition));
  } catch {
    sendBytes(response, without(ofFraming, headers), bytes);
  }
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

async function readAll({ body }: Answer): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > largestCatalogue)
      throw new OwnkeyError("limit", "The catalogue of Cursor's server is too large.");
  }
  return Buffer.concat(chunks);
}

const emptyOf = (type: string): Buffer =>
  type.startsWith("application/json") ? Buffer.from("{}") : Buffer.alloc(0);

const ofFraming = /^(content-length|transfer-encoding|trailer|:status)$/i;
/** What was true of the bytes as they came. */
const ofTheseBytes = /^(content-length|content-encoding|transfer-encoding|trailer|etag|:status)$/i;

const without = (names: RegExp, headers: readonly string[]): string[] =>
  pairs(headers)
    .filter(([name]) => !names.test(name))
    .flat();

/** Answers with nothing, in the type that was asked. */
export function empty(request: Request, response: Response): void {
  request.resume();
  const type = request.headers["content-type"] ?? "application/proto";
  sendBytes(response, ["content-type", type], emptyOf(type));
}
