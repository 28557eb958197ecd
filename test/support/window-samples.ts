/** A status, channels and calls to show, each with what a test wants different. */
import type {
  CallView,
  ChannelView,
  ConversationReading,
  ConversationView,
  Reply,
  Status,
} from "../../src-main/contract.ts";
import type { Script } from "./window-host.ts";

export const sampleStatus = (own: Partial<Status> = {}): Status => ({
  version: "0.1.0",
  pid: 4711,
  startedMs: Date.UTC(2026, 4, 4, 9, 12, 0),
  dataDir: "/home/ann/.local/share/ownkey",
  port: 7788,
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
  instructions: "",
  enabled: true,
  key: "set",
  requestUrl: "https://api.deepseek.com/v1/chat/completions",
  createdMs: Date.UTC(2026, 4, 1),
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
