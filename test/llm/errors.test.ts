/** Statuses, error bodies and foreign errors become sentences with the right kind. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { OwnkeyError } from "../../src-main/base/errors.ts";
import { failure, llmErrorOf, thrown, upstreamOf } from "../../src-main/llm/failure/errors.ts";
import { inBandError, notAStream, statusError } from "../../src-main/llm/failure/refusal.ts";
import { manifest, readRecorded } from "../recordings/manifest.ts";

const key = "sk-0123456789abcdef";
const upstream = upstreamOf("https://api.example.com/v1/chat/completions?api-version=1&code=secret", key);
const now = Date.parse("2026-01-01T00:00:00Z");

const answer = (status: number, body = "", headers: Record<string, string> = {}) =>
  statusError({ status, headers: new Headers(headers), body, now }, upstream);

test("each status has its kind and says whether the same request may succeed later", () => {
  const rows: [number, string, boolean][] = [
    [301, "upstream", false],
    [307, "upstream", false],
    [400, "config", false],
    [401, "auth", false],
    [402, "limit", false],
    [403, "auth", false],
    [404, "config", false],
    [408, "upstream", true],
    [409, "upstream", true],
    [422, "config", false],
    [429, "limit", true],
    [500, "upstream", true],
    [502, "upstream", true],
    [503, "upstream", true],
    [529, "upstream", true],
  ];
  for (const [status, kind, retryable] of rows) {
    const error = answer(status);
    assert.deepEqual([error.code, error.kind, error.retryable], [`http_${status}`, kind, retryable]);
    assert.match(error.message, /api\.example\.com/);
  }
});

test("a used-up quota under 429 is not asked again", () => {
  const { kind, retryable } = answer(429, '{"error":{"message":"You exceeded","code":"insufficient_quota"}}');
  assert.deepEqual([kind, retryable], ["limit", false]);
});

test("a redirect names the host it leads to, and nothing else of the address", () => {
  const to = (location: string) => answer(302, "", { location }).message;
  assert.match(
    to("https://evil.example.net:8443/steal?key=1"),
    /redirects to evil\.example\.net:8443 \(HTTP 302\)/,
  );
  assert.match(to("/login"), /redirects to api\.example\.com /);
  assert.match(to("http://["), /redirects to nowhere /);
});

test("404 shows the address that was called, without its query", () => {
  const { message } = answer(404, '{"error":{"message":"no such model"}}');
  assert.match(
    message,
    /https:\/\/api\.example\.com\/v1\/chat\/completions answered HTTP 404: no such model/,
  );
  assert.ok(!message.includes("secret"));
});

test("retry-after comes as seconds, as a date, or in milliseconds", () => {
  const after = (headers: Record<string, string>) => answer(429, "", headers).retryAfterMs;
  assert.equal(after({ "retry-after": "2" }), 2000);
  assert.equal(after({ "retry-after": "0.5" }), 500);
  assert.equal(after({ "retry-after": "Thu, 01 Jan 2026 00:01:00 GMT" }), 60_000);
  assert.equal(after({ "retry-after": "Thu, 01 Jan 2015 00:01:00 GMT" }), 0);
  assert.equal(after({ "retry-after": "soon" }), null);
  assert.equal(after({ "retry-after": "1", "retry-after-ms": "0" }), 1000);
  assert.equal(after({ "retry-after": "1", "retry-after-ms": "250" }), 250);
  assert.equal(after({}), null);
});

test("the key never shows, foreign text stays on one line, and a message has 500 characters at most", () => {
  const body = `bad key ${key}\r\n\u001b[31m\u202e${"x".repeat(70_000)}${key}`;
  const errors = [
    answer(401, body),
    answer(500, JSON.stringify({ error: { message: body } })),
    inBandError({ message: body }, upstream),
    notAStream(`<html><title>${body}</title>`, upstream),
    notAStream(JSON.stringify({ data: body }), upstream),
    llmErrorOf(new TypeError("fetch failed", { cause: new Error(body) }), upstream),
    llmErrorOf(new OwnkeyError("bug", body), upstream),
    answer(302, "", { location: `https://${key}.example.net/` }),
  ];
  for (const { message } of errors) {
    assert.ok(!message.toLowerCase().includes(key), message);
    assert.ok(message.length <= 500, `${message.length} characters`);
    assert.ok(!/[\p{Cc}\p{Cf}]/u.test(message), JSON.stringify(message));
  }
  assert.match(answer(401, body).message, /bad key \[redacted\]/);
});

test("provider words are found where providers put them", () => {
  const said = (body: string) => answer(500, body).message;
  assert.match(said('{"error":{"message":"words"}}'), /: words$/);
  assert.match(said('[{"error":{"message":"words"}}]'), /: words$/);
  assert.match(said('{"error":"words"}'), /: words$/);
  assert.match(said('{"detail":"words"}'), /: words$/);
  assert.match(said('{"detail":[{"msg":"words"}]}'), /: words$/);
  assert.match(said('{"unknown":"words"}'), /: \{"unknown":"words"\}$/);
  assert.match(said("<!DOCTYPE html><HTML><Title>502 Bad Gateway</Title><body>..."), /: 502 Bad Gateway$/);
  assert.match(said("plain words"), /: plain words$/);
  assert.match(said(""), /answered HTTP 500\.$/);
  const deep = `${"[".repeat(20_000)}1${"]".repeat(20_000)}`;
  assert.match(said(deep), /answered HTTP 500/);
});

test("recorded error bodies are told in the provider's words", {
  skip: manifest === null && "no recordings here",
}, () => {
  const recorded = manifest?.httpErrors ?? [];
  assert.ok(recorded.length >= 31);
  for (const { id, path, status, headers, expected } of recorded) {
    const { message } = answer(status, readRecorded(path), { ...headers });
    const words = expected.message.replace(/\s+/g, " ").slice(0, 200);
    assert.ok(message.includes(words), `${id}: ${message}`);
  }
});

test("recorded error bodies are judged by what they mean", {
  skip: manifest === null && "no recordings here",
}, () => {
  const judged = (manifest?.httpErrors ?? []).map(({ id, path, status, headers }) => {
    const { kind, code, retryable, retryAfterMs } = answer(status, readRecorded(path), { ...headers });
    return [id.replace(/^err-/, ""), kind, code, retryable, retryAfterMs];
  });
  const overflow = ["limit", "context_overflow", false, null];
  const badKey = (status: number) => ["auth", `http_${status}`, false, null];
  const refused = (status: number) => ["config", `http_${status}`, false, null];
  assert.deepEqual(judged, [
    ["openai-chat-404-model", ...refused(404)],
    ["openai-chat-400-developer-role", ...refused(400)],
    ["openai-responses-401", ...badKey(401)],
    ["openai-responses-400-context", ...overflow],
    ["openai-responses-400-temperature", ...refused(400)],
    ["openai-responses-400-reasoning-item", ...refused(400)],
    ["openai-responses-400-model", ...refused(400)],
    ["anthropic-401", ...badKey(401)],
    ["anthropic-400-too-long", ...overflow],
    ["anthropic-404-model", ...refused(404)],
    ["anthropic-400-effort", ...refused(400)],
    ["gemini-400-key", ...badKey(400)],
    ["gemini-429-quota-retryinfo", "limit", "http_429", true, 48_940],
    ["gemini-404-model", ...refused(404)],
    ["gemini-400-too-long", ...overflow],
    ["deepseek-401", ...badKey(401)],
    ["deepseek-400-context", ...overflow],
    ["deepseek-responses-400-tool-output", ...refused(400)],
    ["mistral-401", ...badKey(401)],
    ["ollama-401", ...badKey(401)],
    ["ollama-400-context", ...overflow],
    ["openrouter-401", ...badKey(401)],
    ["openrouter-400-context", ...overflow],
    ["openrouter-429", "limit", "http_429", true, null],
    ["perplexity-401", ...badKey(401)],
    ["xai-responses-400-key", ...badKey(400)],
    ["groq-400-tool-use-failed", "upstream", "http_400", true, null],
    ["azure-429", "limit", "http_429", true, 1000],
    ["azure-401", ...badKey(401)],
    ["groq-404-model", ...refused(404)],
    ["anthropic-529-overloaded", "upstream", "http_529", true, null],
  ]);
});

test("a document instead of a stream is told as what it is", () => {
  const page = notAStream(
    "<!DOCTYPE html><html><head><title>524: A timeout occurred</title></head></html>",
    upstream,
  );
  assert.deepEqual([page.kind, page.code, page.retryable], ["upstream", "not_a_stream", false]);
  assert.match(page.message, /a web page instead of a stream: 524: A timeout occurred$/);
  assert.match(
    notAStream('{"id":"chatcmpl-1","choices":[]}', upstream).message,
    /one JSON document instead of a stream/,
  );
  const refused = notAStream('{"error":{"message":"no credit","code":402}}', upstream);
  assert.deepEqual([refused.kind, refused.code], ["limit", "provider_error"]);
});

test("errors of the network are found behind those who wrapped them", () => {
  const wrapped = (code: string) =>
    llmErrorOf(
      new Error("Connection error.", {
        cause: new TypeError("fetch failed", { cause: Object.assign(new Error("x"), { code }) }),
      }),
      upstream,
    );
  const rows: [string, string, string, boolean][] = [
    ["ECONNREFUSED", "network", "network", true],
    ["ENOTFOUND", "network", "network", true],
    ["UND_ERR_CONNECT_TIMEOUT", "network", "network", true],
    ["UND_ERR_SOCKET", "network", "network", true],
    ["CERT_HAS_EXPIRED", "network", "certificate", false],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", "network", "certificate", false],
    ["ERR_TLS_CERT_ALTNAME_INVALID", "network", "certificate", false],
    ["EPROTO", "config", "tls", false],
    ["ERR_SSL_WRONG_VERSION_NUMBER", "config", "tls", false],
    ["HPE_INVALID_CONSTANT", "upstream", "bad_http", true],
    ["Z_DATA_ERROR", "upstream", "bad_encoding", true],
    ["SOMETHING_NEW", "network", "network", true],
  ];
  for (const [osCode, kind, code, retryable] of rows) {
    const error = wrapped(osCode);
    assert.deepEqual([error.kind, error.code, error.retryable], [kind, code, retryable], osCode);
    assert.match(error.message, /api\.example\.com/);
  }
});

test("an LlmError that was thrown comes back as it was, however deep it is wrapped", () => {
  const error = failure("limit", "http_429", "Too many requests.", true, 1500);
  const wrapped = new Error("a", { cause: new TypeError("b", { cause: thrown(error) }) });
  assert.deepEqual(llmErrorOf(wrapped, upstream), error);
});

test("a mistake of ours is no fault of the network", () => {
  const { kind, retryable } = llmErrorOf(new RangeError("block 3 was never opened"), upstream);
  assert.deepEqual([kind, retryable], ["bug", false]);
  assert.equal(llmErrorOf("nonsense", upstream).kind, "network");
});
