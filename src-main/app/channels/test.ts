/**
 * Four small real requests over the very way that a run takes: can it be reached, does it stream text, does it call a
 * tool, does it see. What comes after a failure is skipped, since it would fail for the same reason.
 */
import type { Clock } from "../../base/clock.ts";
import { OwnkeyError } from "../../base/errors.ts";
import type { TestResult, TestRow } from "../../contract/channels.ts";
import { knock } from "../../llm/exchange/models.ts";
import type {
  AssistantMessage,
  Channel,
  ImagePart,
  LlmError,
  LlmRequest,
  ToolSpec,
} from "../../llm/types.ts";
import type { Channels } from "./channels.ts";

const limitMs = 60_000;
const mostShown = 60;
const mostAnswer = 4_000;

type Name = TestRow["name"];

export async function testChannel(id: string, channels: Channels, clock: Clock): Promise<TestResult> {
  const channel = channels.get(id);
  const begun = clock.now();
  const state: State = { channel, channels, clock, firstTokenMs: null };
  const rows: TestRow[] = [];
  for (const name of ["reach", "text", "tool", "image"] as const) {
    const why = whyNot(name, channel, rows);
    rows.push(why === null ? await timed(name, state) : skipped(name, why));
  }
  const failed = rows.find((row) => row.state === "failed");
  const ok = failed === undefined;
  const message = failed?.message ?? rows.find(({ name }) => name === "text")?.message ?? "";
  channels.keepTest(id, ok, message);
  return { ok, message, firstTokenMs: state.firstTokenMs, totalMs: clock.now() - begun, rows };
}

interface State {
  readonly channel: Channel;
  readonly channels: Channels;
  readonly clock: Clock;
  /** Of the text. */
  firstTokenMs: number | null;
}

const reasons = {
  not_tried: "Not tried after what failed before.",
  tools_off: "This channel is set to take no tools: Cursor's agent needs them.",
  images_off: "This channel is set to see no images.",
} as const;

/** Why a row is not asked; null: it is. */
function whyNot(name: Name, { abilities }: Channel, rows: readonly TestRow[]): keyof typeof reasons | null {
  if (rows.some((row) => row.state === "failed" && row.name !== "tool")) return "not_tried";
  if (name === "tool" && !abilities.tools) return "tools_off";
  if (name === "image" && !abilities.images) return "images_off";
  return null;
}

const skipped = (name: Name, code: keyof typeof reasons): TestRow => ({
  ...{ name, state: "skipped", code, message: reasons[code] },
  ...{ ms: 0, answer: null },
});

async function timed(name: Name, state: State): Promise<TestRow> {
  const begun = state.clock.now();
  const result = await rowOf[name](state).catch((reason: unknown) => {
    const { message, details, kind } = OwnkeyError.from(reason);
    return { ok: false, code: String(details.code ?? kind), message, answer: null };
  });
  const { ok, ...said } = result;
  return { name, state: ok ? "ok" : "failed", ms: state.clock.now() - begun, ...said };
}

interface Result {
  readonly ok: boolean;
  readonly code: string;
  readonly message: string;
  readonly answer: string | null;
}

const rowOf: { readonly [N in Name]: (state: State) => Promise<Result> } = {
  reach: async ({ channel, channels }) => {
    const { key, surroundings } = channels.open(channel);
    const { host } = new URL(channel.baseUrl);
    try {
      await knock(channel, key, surroundings);
    } catch (reason) {
      const error = OwnkeyError.from(reason);
      // Whatever it complains about: it was reached.
      if (typeof error.details.status !== "number") throw error;
    }
    return { ok: true, code: "reached", message: `${host} can be reached.`, answer: null };
  },
  text: async (state) => {
    const message = await ask(state, requestFor("Reply with the single word OK.", state.channel));
    return answered(message);
  },
  tool: async (state) => {
    const request = requestFor(`Call the tool ${echo.name} with the word "ok".`, state.channel);
    const message = await ask(state, { ...request, tools: [echo] });
    const call = message.blocks.find((block) => block.type === "tool_call");
    if (call)
      return {
        ...{ ok: true, code: "called", message: `It called the tool: ${call.arguments}` },
        answer: shown(message),
      };
    const advice = "It answered without calling the tool. Cursor's agent needs a model that calls tools.";
    return { ok: false, code: "no_call", message: advice, answer: shown(message) };
  },
  image: async (state) => {
    const request = requestFor("Which colour is this? Reply with one word.", state.channel, redDot);
    const message = await ask(state, request);
    return answered(message);
  },
};

/** The whole answer. Throws what ended it otherwise. */
async function ask(state: State, request: LlmRequest): Promise<AssistantMessage> {
  const { channel, channels, clock } = state;
  const begun = clock.now();
  const limit = new AbortController();
  const callOff = clock.after(limitMs, () => limit.abort());
  try {
    for await (const events of channels.openLlm(channel).stream(request, limit.signal)) {
      for (const event of events) {
        if (event.type.endsWith("_delta")) state.firstTokenMs ??= clock.now() - begun;
        if (event.type === "done") return event.message;
        if (event.type === "error") throw endOf(event.error, limit);
      }
    }
    throw new OwnkeyError("bug", "The answer ended without an end. That is a fault of Ownkey.");
  } finally {
    callOff();
    limit.abort();
  }
}

function endOf({ kind, code, message }: LlmError, { signal }: AbortController): OwnkeyError {
  if (!signal.aborted) return new OwnkeyError(kind, message, { details: { code } });
  const late = `No complete answer came within ${limitMs / 1000} s.`;
  return new OwnkeyError(kind, late, { details: { code: "timeout_idle" } });
}

const requestFor = (text: string, { options }: Channel, ...images: readonly ImagePart[]): LlmRequest => ({
  system: "",
  messages: [{ role: "user", parts: [{ type: "text", text }, ...images] }],
  tools: [],
  options,
});

const echo: ToolSpec = {
  name: "echo",
  description: "Says a word.",
  schema: { type: "object", properties: { word: { type: "string" } }, required: ["word"] },
  readOnly: true,
  concurrent: true,
};

/** 8 x 8, red. */
const redDot: ImagePart = {
  type: "image",
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEklEQVR4nGP4z8CAFWEXHbQSACj/P8Fu7N9hAAAAAElFTkSuQmCC",
};

const textOf = ({ blocks }: AssistantMessage): string =>
  blocks.map((block) => (block.type === "text" ? block.text : "")).join("");

const answered = (message: AssistantMessage): Result => ({
  ...{ ok: true, code: textOf(message).trim() === "" ? "no_text" : "answered" },
  ...{ message: said(message), answer: shown(message) },
});

function said(message: AssistantMessage): string {
  const text = textOf(message).replaceAll(/\s+/g, " ").trim();
  if (text === "") return "It answered, but without text.";
  return `It answered: ${text.length > mostShown ? `${text.slice(0, mostShown)}…` : text}`;
}

const shown = ({ blocks }: AssistantMessage): string => JSON.stringify(blocks).slice(0, mostAnswer);
