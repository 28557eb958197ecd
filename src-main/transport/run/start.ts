/** From a run request to what the runner needs: the loop's input, and the progress that the client will be shown. */
import { create, toBinary } from "@bufbuild/protobuf";
import type { Clock } from "../../base/clock.ts";
import { sha256 } from "../../base/hash.ts";
import { canonical, type Json } from "../../base/json.ts";
import type { AgentRunRequest } from "../../gen/agent/v1/agent_pb.ts";
import type { RequestContext } from "../../gen/agent/v1/context_pb.ts";
import {
  type ConversationStateStructure,
  ConversationStateStructureSchema,
} from "../../gen/agent/v1/conversation_pb.ts";
import { UserMessageSchema } from "../../gen/agent/v1/message_pb.ts";
import { type CustomSubagent, CustomSubagentPermissionMode } from "../../gen/agent/v1/subagent_pb.ts";
import type { Channel, ContextMessage, UserMessage as OurUserMessage } from "../../llm/types.ts";
import { maxTries } from "../../loop/call.ts";
import type { ClientFacts, ConversationState, Input, Mode, Origin, Setup, Tools } from "../../loop/types.ts";
import type { Store } from "../../store/store.ts";
import { type Beginning, beginningOf } from "../dialect/actions.ts";
import { commitIdOf, Turn } from "../dialect/checkpoint.ts";
import { contextMessages, dateIn, workspaceOf } from "../dialect/context.ts";
import { modeOf, toUserMessage } from "../dialect/decode.ts";
import { earlierConversation } from "../dialect/earlier.ts";
import { mcpSpecs } from "../dialect/mcp-specs.ts";
import { builtInSpecs, inMode, isTaken, type ToolFilter } from "../dialect/tools/catalogue.ts";
import { cutOff } from "./cut-off.ts";
import { originOf } from "./origin.ts";
import { Progress } from "./progress.ts";

/** A run that brings something new: a message, or the wish for a shorter history. */
export type New = Extract<Beginning, { readonly type: "message" | "summarize" }>;

export interface StartOptions {
  readonly store: Store;
  /** Enabled channels: what a run may ask for. */
  channels(): readonly Channel[];
  readonly clock: Clock;
  readonly tools: Tools;
  readonly installationKey: Uint8Array;
  /** Of a channel's context window: how full it may be before the history is made shorter, in percent. */
  compactPercent(): number;
  redact(text: string): string;
}

export interface Asked {
  readonly principal: string;
  readonly runId: string;
  /** Of this attempt. */
  readonly requestId: string;
  readonly request: AgentRunRequest;
  readonly filter: ToolFilter;
}

/** What makes a beginning the same one when it comes again. */
export const messageHashOf = (beginning: New): Uint8Array =>
  sha256(canonical(messageOf(beginning) as unknown as Json));

const messageOf = (beginning: New): OurUserMessage | null =>
  beginning.type === "message" ? toUserMessage(beginning.message, beginning.prepended) : null;

export function toStart(
  options: StartOptions,
  asked: Asked,
  beginning: New,
  channel: Channel,
  context: RequestContext | null,
  state: ConversationState,
): { readonly input: Extract<Input, { readonly type: "start" }>; readonly progress: Progress } {
  const { store, clock } = options;
  const isMessage = beginning.type === "message";
  const mode = isMessage ? modeOf(beginning.message) : (state.run?.setup.mode ?? "agent");
  const setup = toSetup(options, asked, channel, context, mode);
  const origin = originOf(store, asked, state, clock.now());
  const input = {
    type: "start",
    runId: asked.runId,
    message: messageOf(beginning),
    context: isMessage ? told(options, asked, beginning, context, origin, state) : [],
    setup,
    resolutions: isMessage ? beginning.resolutions : {},
    origin,
  } as const;
  const shown = isMessage ? beginning.message : create(UserMessageSchema, { text: "/summarize" });
  const turn = new Turn(toBinary(UserMessageSchema, shown), asked.requestId);
  return { input, progress: toProgress(options, asked, setup, turn, channel.contextWindow) };
}

/** What the model has to know before the message, and does not know yet. */
function told(
  { store, clock, redact }: StartOptions,
  asked: Asked,
  { history }: Extract<New, { readonly type: "message" }>,
  context: RequestContext | null,
  origin: Origin | null,
  state: ConversationState,
): readonly ContextMessage[] {
  const { messages } = origin ?? state;
  const today = dateIn(context?.env?.timeZone, clock.now());
  const taken = context && !takesServers(asked) ? { ...context, mcpInstructions: [] } : context;
  return [
    ...(messages.length === 0 ? earlierConversation(history, redact) : []),
    ...(origin ? [] : cutOff(store, state)),
    ...contextMessages(taken, today, messages, redact),
  ];
}

/** The run as the store knows it, for a client that comes back to a process that does not know it any more. */
export function toResumed(
  options: StartOptions,
  asked: Asked,
  channel: Channel | null,
  state: ConversationState,
): Progress | null {
  const { run } = state;
  if (!run) return null;
  const beginning = beginningOf(asked.request.action);
  const own = beginning.type === "message" ? beginning.message : undefined;
  const { message, answers } = options.store.conversations.turn(state.conversationId, run.runId);
  const user = own ?? create(UserMessageSchema, { text: textOf(message) });
  const turn = new Turn(toBinary(UserMessageSchema, user), asked.requestId);
  for (const { callId, answer } of answers) turn.answered(callId, answer);
  for (const { operationId, card } of options.store.conversations.cards(state.conversationId, run.runId))
    turn.completed(operationId, card);
  return toProgress(options, asked, run.setup, turn, channel?.contextWindow ?? 0);
}

const takesServers = ({ filter }: Asked): boolean => isTaken("mcpToolCall", filter);

function toSetup(
  { channels, compactPercent }: StartOptions,
  asked: Asked,
  channel: Channel,
  context: RequestContext | null,
  mode: Mode,
): Setup {
  const { request, filter } = asked;
  const workspace = workspaceOf(context?.env);
  const client = clientFacts(request, channel, context, channels());
  const builtIns = channel.abilities.tools ? builtInSpecs({ workspace, client }, filter) : [];
  const hasServers = channel.abilities.tools && takesServers(asked);
  const servers = hasServers ? mcpSpecs(request.mcpTools, context, builtIns) : [];
  const setup: Setup = {
    channelId: channel.id,
    model: channel.model,
    mode,
    system: "",
    tools: [],
    options: channel.options,
    compactAt: Math.floor((channel.contextWindow * compactPercent()) / 100),
    ...(channel.tries === maxTries ? {} : { tries: channel.tries }),
    workspace,
    client: { ...client, tools: [...builtIns, ...servers] },
  };
  return inMode(setup, mode);
}

function clientFacts(
  request: AgentRunRequest,
  channel: Channel,
  context: RequestContext | null,
  channels: readonly Channel[],
): ClientFacts {
  const own = (context?.customSubagents ?? []).toSorted(byName);
  const self = own.find(({ name }) => name === request.subagentTypeName);
  return {
    conversationId: request.conversationId ?? "",
    subagentType: request.subagentTypeName || null,
    subagents: own.map(({ name, description, permissionMode }) => ({
      ...{ name, description },
      ...(permissionMode === CustomSubagentPermissionMode.READONLY ? { readonly: true } : {}),
    })),
    subagentChannels: { ...ownChannels(own, channels), ...overrides(request, channel) },
    tools: [],
    customPrompt: request.customSystemPrompt || null,
    instructions: [channel.instructions, self?.prompt.trim()].filter(Boolean).join("\n"),
  };
}

/** The client names them in any order, and they are part of what every request begins with. */
const byName = (a: CustomSubagent, b: CustomSubagent): number =>
  Number(a.name > b.name) - Number(a.name < b.name);

/** A subagent's file may name a channel as its model, by id, by the name that Cursor shows, or by the provider's. */
const ownChannels = (own: readonly CustomSubagent[], channels: readonly Channel[]): Record<string, string> =>
  Object.fromEntries(
    own.flatMap(({ name, model }) => {
      const named = channels.find((each) => [each.id, each.label, each.name, each.model].includes(model));
      return model !== "" && named ? [[name, named.id] as const] : [];
    }),
  );

/** What the user chose for kinds of subagents; the others inherit this run's channel. */
const overrides = (request: AgentRunRequest, channel: Channel): Record<string, string | null> =>
  Object.fromEntries(
    request.subagentModelOverrides.map(({ subagentType, selection }) => {
      const chosen = selection.case === "model" ? selection.value.modelId : channel.id;
      return [subagentType, selection.case === "disabled" && selection.value ? null : chosen];
    }),
  );

function toProgress(
  options: StartOptions,
  { principal, request, runId }: Asked,
  setup: Setup,
  turn: Turn,
  contextWindow: number,
): Progress {
  const { clock, tools, installationKey, store } = options;
  const brought = request.conversationState ?? create(ConversationStateStructureSchema);
  return new Progress({
    clock,
    tools,
    installationKey,
    principal,
    setup,
    turn,
    before: withoutRun(brought, runId, store),
    contextWindow,
    saved: (blobId, state) =>
      store.checkpoints.save({
        blobId,
        conversationId: state.conversationId,
        epoch: state.epoch,
        messageCount: state.messages.length,
        historyHash: state.historyHash,
        todos: state.todos,
        runId,
        sentMs: clock.now(),
      }),
  });
}

/** A checkpoint taken within this run ends with this very turn, which is written anew. */
function withoutRun(
  state: ConversationStateStructure,
  runId: string,
  store: Store,
): ConversationStateStructure {
  const commitId = commitIdOf(state);
  if (!commitId || store.checkpoints.find(commitId)?.runId !== runId) return state;
  return { ...state, turns: state.turns.slice(0, -1) };
}

const textOf = (message: OurUserMessage | null): string =>
  (message?.parts ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
