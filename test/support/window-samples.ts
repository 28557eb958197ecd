/** A status, channels and calls to show, each with what a test wants different. */
import type { CallView, ChannelView, Reply, Status } from "../../src-main/contract.ts";
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
});
