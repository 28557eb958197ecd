/**
 * What is done with a call to one of Cursor's hosts, by its path. What stands in no row is passed on.
 *
 *   split   ours or theirs, by the model that the run names
 *   add     their answer, and our part behind it; ours alone where their server cannot be reached
 *   small   ours, where the user wants their own model for it
 *   local   answered here while a run of ours is open
 *
 * All of them for known callers only (known-callers.ts); for anyone else every call is passed on.
 */
import type { AdditionName } from "./merge.ts";

export type Rule =
  | { readonly type: "split"; readonly by: "append" | "stream id" | "stream" }
  | { readonly type: "add"; readonly what: AdditionName; readonly alone: boolean }
  | { readonly type: "small" }
  | { readonly type: "local" }
  | { readonly type: "pass" };

const pass: Rule = { type: "pass" };

const rules: Readonly<Record<string, Rule>> = {
  "POST /agent.v1.AgentService/RunSSE": { type: "split", by: "stream id" },
  "POST /agent.v1.AgentService/Run": { type: "split", by: "stream" },
  "POST /aiserver.v1.BidiService/BidiAppend": { type: "split", by: "append" },
  "POST /aiserver.v1.AiService/AvailableModels": { type: "add", what: "ide models", alone: true },
  "POST /aiserver.v1.AiService/GetDefaultModelNudgeData": { type: "add", what: "nudge", alone: true },
  "POST /aiserver.v1.AiService/GetUsableModels": { type: "add", what: "cli models", alone: true },
  "POST /agent.v1.AgentService/GetUsableModels": { type: "add", what: "cli models", alone: true },
  "GET /v1/models": { type: "add", what: "api models", alone: true },
  "POST /aiserver.v1.AiService/GetServerConfig": { type: "add", what: "configuration", alone: false },
  "POST /aiserver.v1.ServerConfigService/GetServerConfig": {
    type: "add",
    what: "configuration",
    alone: false,
  },
  "POST /aiserver.v1.AiService/WriteGitCommitMessage": { type: "small" },
  "POST /aiserver.v1.AiService/NameTab": { type: "small" },
  "POST /aiserver.v1.AiService/NameAgent": { type: "small" },
  "POST /agent.v1.AgentService/NameAgent": { type: "small" },
  "POST /aiserver.v1.NetworkService/IsConnected": { type: "local" },
};

export const ruleFor = (method: string, path: string): Rule => rules[`${method} ${path}`] ?? pass;

/** Services that this version knows of. A call of another one is news: it is passed on, and counted. */
const services =
  /^\/(agent\.v1\.AgentService|aiserver\.v1\.(AiService|AnalyticsService|AuthService|BackgroundComposerService|BidiService|ChatService|CmdKService|CppService|DashboardService|FileSyncService|HealthService|InAppAdService|MCPRegistryService|NetworkService|RepositoryService|ServerConfigService|UploadService))\/|^\/(auth|oauth|v1)\//;

export const isKnownPath = (path: string): boolean => services.test(path);
