/** A status, channels and calls to show, each with what a test wants different. */
import { presets } from "../../src-main/app/channels/presets.ts";
import type { CallView } from "../../src-main/contract/calls.ts";
import type { ChannelView } from "../../src-main/contract/channels.ts";
import type { Reply } from "../../src-main/contract/contract.ts";
import type { ConversationReading, ConversationView } from "../../src-main/contract/conversations.ts";
import type { Settings, Status } from "../../src-main/contract/program.ts";
import type { Script } from "./window-host.ts";

export const sampleStatus = (own: Partial<Status> = {}): Status => ({
  version: "0.1.0",
  pid: 4711,
  startedMs: Date.UTC(2026, 4, 4, 9, 12, 0),
  dataDir: "/home/ann/.local/share/ownkey",
  port: 7788,
  proxyPort: 7888,
  isSetUp: false,
  isPaused: false,
  channels: { enabled: 1, total: 1 },
  keys: 1,
  runs: 0,
  sealer: "key-file",
  newer: null,
  ...own,
});

export const sampleChannel = (own: Partial<ChannelView> = {}): ChannelView => ({
  id: "ch_7f3a91c2",
  name: "DeepSeek official",
  format: "openai-chat",
  baseUrl: "https://api.deepseek.com/v1",
  model: "deepseek-chat",
  contextWindow: 128_000,
  maxOutputTokens: null,
  temperature: null,
  topP: null,
  tools: true,
  images: false,
  thinking: false,
  promptCache: true,
  parallelTools: true,
  effort: "default",
  instructions: "",
  label: "",
  auth: "format",
  extraHeaders: {},
  secretHeaders: [],
  extraBody: {},
  connectTimeout: 15,
  firstTokenTimeout: 120,
  idleTimeout: 120,
  tries: 4,
  concurrency: null,
  proxy: "app",
  caFile: null,
  prices: null,
  allowsPlainHttp: false,
  quirks: {},
  note: "",
  colour: null,
  enabled: true,
  key: "set",
  requestUrl: "https://api.deepseek.com/v1/chat/completions",
  createdMs: Date.UTC(2026, 4, 1),
  hasSecrets: {},
  detectedQuirks: {},
  lastTest: null,
  ...own,
});

export const sampleCall = (own: Partial<CallView> = {}): CallView => ({
  callId: "c1/0/1/1",
  conversationId: "c1",
  channelId: "ch_7f3a91c2",
  channelName: "DeepSeek official",
  model: "deepseek-chat",
  status: "committed",
  plannedMs: Date.UTC(2026, 4, 4, 12, 4, 11),
  endedMs: Date.UTC(2026, 4, 4, 12, 4, 22),
  firstTokenMs: 1000,
  tries: 1,
  usage: { fresh: 1400, cached: 36_800, written: 0, output: 412, reasoning: 0 },
  error: null,
  errorCode: null,
  ...own,
});

const said = <T>(value: T): Reply<T> => ({ ok: true, value });

/** A program that answers with these. */
export const sampleScript = (
  status: Status = sampleStatus(),
  channels: readonly ChannelView[] = [sampleChannel()],
  calls: readonly CallView[] = [sampleCall()],
): Script => ({
  "status.get": () => said(status),
  "channels.list": () => said(channels),
  "calls.recent": () => said(calls),
  "conversations.list": () => said({ hits: [], next: null }),
});

export const sampleConversation = (own: Partial<ConversationView> = {}): ConversationView => ({
  id: "c1",
  title: "Fix the tray icon",
  status: "finished",
  channelId: "ch_7f3a91c2",
  channelName: "DeepSeek official",
  model: "deepseek-chat",
  workspace: "/home/ann/project",
  messages: 3,
  turns: 1,
  createdMs: Date.UTC(2026, 4, 4, 12),
  updatedMs: Date.UTC(2026, 4, 4, 12, 4),
  ...own,
});

export const sampleReading = (own: Partial<ConversationReading> = {}): ConversationReading => ({
  conversation: sampleConversation(),
  epoch: 0,
  from: 0,
  messages: [],
  calls: [{ ...sampleCall(), turn: 1, messageCount: 1, assistantSeq: 1, broken: [] }],
  operations: [],
  turns: [],
  marks: [],
  context: null,
  live: null,
  ...own,
});

const part = (text: string) => ({ type: "text", text, length: text.length }) as const;

/** A conversation with one of everything. */
const everything = (): ConversationReading => {
  const own = { turn: 1, callId: "c1/0/1/1", createdMs: Date.UTC(2026, 4, 4, 12), isError: false };
  return sampleReading({
    conversation: sampleConversation({ status: "calling" }),
    messages: [
      { ...own, seq: 0, role: "context", parts: [part("<environment>")] },
      {
        ...own,
        seq: 1,
        role: "user",
        parts: [part("Fix it"), { type: "image", mimeType: "image/png", bytes: 9000 }],
      },
      {
        ...own,
        seq: 2,
        role: "assistant",
        parts: [
          { type: "thinking", text: "Hm.", length: 3 },
          part("I **look**:\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nconst a = 1;\n```"),
          { type: "tool_call", name: "Read", text: '{"path":"a.ts"}', length: 15 },
        ],
      },
      { ...own, seq: 3, role: "tool", parts: [part("content")] },
    ],
    calls: [
      {
        ...sampleCall(),
        turn: 1,
        messageCount: 2,
        assistantSeq: 2,
        broken: [{ try: 1, partial: "Half", error: "cut" }],
      },
    ],
    turns: [
      { turn: 1, status: "failed", startedMs: 0, endedMs: 900, usage: null, reason: "The key was refused." },
    ],
    marks: [{ seq: 1, cause: "compaction", createdMs: own.createdMs }],
    context: { used: 41_000, window: 128_000 },
    live: { conversationId: "c1", callId: "c1/0/1/2", blocks: [{ type: "text", name: null, text: "More" }] },
  });
};

/** `window`: as it was chosen before. */
export const sampleSettings = (window: Partial<Settings["window"]> = {}): Settings => ({
  ...{ keepDays: null, dailyBackups: true, compactPercent: 85, smallCalls: null, updates: true },
  window: {
    ...{ language: "system", theme: "system", density: "comfortable", letterKeys: true },
    ...{ inspector: "bottom", firstRun: "done", firstStep: "", filters: [] },
    ...window,
  },
});

/** A program that has something of everything. */
export const fullScript = (): Script => ({
  ...sampleScript(
    sampleStatus({ runs: 1 }),
    [sampleChannel(), sampleChannel({ id: "two", name: "智谱 GLM", key: "missing" })],
    [sampleCall(), sampleCall({ callId: "f", status: "failed", error: "No.", plannedMs: Date.now() })],
  ),
  "conversations.list": () =>
    said({
      hits: [
        { conversation: sampleConversation({ status: "calling" }), found: null },
        {
          conversation: sampleConversation({ id: "c2", title: "重构设置页面" }),
          found: { before: "a ", match: "b", after: " c" },
        },
      ],
      next: null,
    }),
  "desktop.get": () => said({ autostart: true, refused: "open" }),
  "updates.get": () =>
    said({
      ...{ isKnown: true, checkedMs: Date.now() },
      newer: { version: "1.3.0", notes: "- Fewer lines", page: "https://example.org/v1.3.0" },
    }),
  "conversations.read": () => said(everything()),
  "calls.inspect": () =>
    said({
      call: sampleCall({ error: "No." }),
      title: "Fix the tray icon",
      samples: [
        {
          try: 1,
          startedMs: sampleCall().plannedMs,
          request: {
            url: "https://api.deepseek.com/v1/chat/completions",
            headers: {},
            body: "{}",
            length: 2,
          },
          response: { ms: 300, status: 200, headers: { "content-type": "text/event-stream" } },
          lines: [{ ms: 310, text: "data: {}" }],
          events: [{ type: "text_delta", index: 0, text: "Hello", line: 0, times: [310, 330, 700] }],
          frames: [],
          passedOver: { "event:usage_v2": 2 },
          over: { upstream: 0, events: 0, frames: 3 },
        },
      ],
      check: { requestHash: "ab", messagesHash: "cd", messageCount: 3, previous: null },
    }),
  "presets.list": () => said(presets),
  "ca.show": () =>
    said({
      ...{ state: "ready", problem: null, file: "/home/ann/.local/share/ownkey/ca.pem", name: "Ownkey" },
      ...{ sha256: `${"3F:9A:".repeat(15)}C1`, endsMs: Date.UTC(2029, 2, 5), isDue: false },
      stores: [
        { name: "nss", title: "Chromium’s store", trusted: true, manual: ["certutil -A -n Ownkey"] },
        {
          name: "system",
          title: "The system’s store",
          trusted: false,
          manual: ["sudo cp ca.pem /usr/local"],
        },
      ],
    }),
  "setup.status": () =>
    said({
      isApplied: true,
      file: "/home/ann/.config/Cursor/User/settings.json",
      changed: ["http.proxy"],
      isTrustedElsewhere: false,
      loginEntry: null,
      seenMs: null,
    }),
  "data.get": () =>
    said({
      file: "/home/ann/.local/share/ownkey/ownkey.db",
      bytes: 4_200_000,
      backups: [{ file: "a.db", kind: "daily", createdMs: Date.UTC(2026, 4, 3), bytes: 4_100_000 }],
      setAside: [],
    }),
  "recording.get": () =>
    said({ level: "failures", calls: 2, bytes: 40_000, keptBytes: 104_857_600, keptMs: 1_209_600_000 }),
  "usage.read": () =>
    said([
      {
        ...{ day: "2026-05-04", channelId: "a", channelName: "DeepSeek official", model: "deepseek-chat" },
        ...{
          calls: 3,
          failed: 1,
          fresh: 1000,
          cached: 9000,
          written: 10,
          output: 400,
          ...{ reasoning: 0, tries: 3, untold: 0, unpriced: 1, cost: { CNY: 0.0123 } },
          firstMs: 900,
          firsts: 2,
        },
      },
    ]),
  "network.get": () =>
    said({
      ...{ proxy: "http://proxy.company.cn:8080", hasPassword: true, systemProxy: null },
      cursor: { proxy: "system", hasPassword: false, before: null },
    }),
  "keys.list": () => said([{ id: "k", name: "Cursor", last4: "a1b2", createdMs: 0, usedMs: null }]),
  "search.get": () => said({ provider: "brave", address: null, key: "set" }),
});

/** The same with names as long as names get, and many rows. */
export function longScript(): Script {
  const name = "智谱 GLM 团队账号（上海）with a very long name that goes on and on";
  const model = "accounts/very-long-organisation-name/models/glm-4.6-air-preview-2026-04";
  const baseUrl = "https://a-very-long-host-name.example-gateway.internal.company.cn:8443/openai/v1";
  const channels = Array.from({ length: 12 }, (_, at) =>
    sampleChannel({ id: `ch_${at}`, name, model, baseUrl, key: at % 3 ? "set" : "unreadable" }),
  );
  const calls = Array.from({ length: 50 }, (_, at) =>
    sampleCall({
      callId: String(at),
      plannedMs: Date.now(),
      channelName: name,
      model,
      error: at % 7 ? null : model.repeat(4),
    }),
  );
  return { ...fullScript(), ...sampleScript(sampleStatus({ keys: 0, runs: 1 }), channels, calls) };
}
