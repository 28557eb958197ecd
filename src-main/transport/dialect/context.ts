/**
 * The client's machine as context messages.
 *
 * Rule: history is append-only, so a section is said when it is new or differs from what was last said, and never
 * corrected in place. Sections change at different speeds; each is a message of its own, named by its tag, and sorted:
 * the client reads files side by side and names them in the order in which it was done (seen).
 */
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import type { CursorRule, RequestContext, RequestContextEnv } from "../../gen/agent/v1/context_pb.ts";
import { ExecClientMessageSchema, ExecServerMessageSchema } from "../../gen/agent/v1/exec_pb.ts";
import type { ContextMessage, Message } from "../../llm/types.ts";
import type { Reply, Workspace } from "../../loop/types.ts";
import { cutEnd } from "./tools/limits.ts";

const ruleCharacters = 20_000;
const statusCharacters = 4_000;

/** The question to the client, without number and exec_id. */
export const contextQuestion: Uint8Array = toBinary(
  ExecServerMessageSchema,
  create(ExecServerMessageSchema, { message: { case: "requestContextArgs", value: {} } }),
);

/** null when the client had none to give. */
export function readContext(reply: Reply): RequestContext | null {
  if (reply.type === "failure") return null;
  const { message } = fromBinary(ExecClientMessageSchema, reply.bytes);
  if (message.case !== "requestContextResult" || message.value.result.case !== "success") return null;
  return message.value.result.value.requestContext ?? null;
}

export function workspaceOf(env: RequestContextEnv | undefined): Workspace {
  return {
    paths: env?.workspacePaths ?? [],
    os: env?.osVersion || "unknown",
    shell: env?.shell ?? "",
    terminalsFolder: env?.terminalsFolder ?? "",
  };
}

/**
 * What `context` says that `history` does not yet. `today` is the user's date, as YYYY-MM-DD. Without a context nothing
 * is known to have changed. `redact` takes our secrets out, before it is compared with what was said.
 */
export function contextMessages(
  context: RequestContext | null,
  today: string,
  history: readonly Message[],
  redact: (text: string) => string,
): readonly ContextMessage[] {
  return sections(context, today).flatMap(({ tag, text, isPartial }) => {
    const said = lastSaid(history, tag);
    if (said === null ? text === "" : context === null || (isPartial && text === "")) return [];
    const message = redact(`<${tag}>\n${text || "None any more."}\n</${tag}>`);
    return message === said ? [] : [{ role: "context", text: message }];
  });
}

/** The user's date, in their time zone when the client names a valid one. */
export function dateIn(timeZone: string | undefined, now: number): string {
  try {
    return new Intl.DateTimeFormat("sv-SE", timeZone ? { timeZone } : {}).format(now);
  } catch {
    return new Date(now).toISOString().slice(0, 10);
  }
}

interface Section {
  readonly tag: string;
  readonly text: string;
  /** What it does not say may still hold. */
  readonly isPartial?: boolean;
}

function sections(context: RequestContext | null, today: string): readonly Section[] {
  return [
    { tag: "environment", text: environment(context?.env, today) },
    { tag: "rules", text: rules(context) },
    { tag: "skills", text: skills(context) },
    { tag: "mcp", text: mcpInstructions(context) },
    { tag: "hooks", text: cutEnd(context?.hooksAdditionalContext ?? "", ruleCharacters) },
    // The client looks once; later contexts name no repository (seen).
    { tag: "git", text: git(context), isPartial: context?.gitRepoInfoComplete === false },
  ];
}

function environment(env: RequestContextEnv | undefined, today: string): string {
  const lines = [
    env?.osVersion && `System: ${env.osVersion}`,
    env?.shell && `Shell: ${env.shell}`,
    env?.workspacePaths.length && `Workspace: ${env.workspacePaths.join(", ")}`,
    env?.terminalsFolder && `Terminals of the user, as text files: ${env.terminalsFolder}`,
    `Date: ${today}`,
  ];
  return lines.filter(Boolean).join("\n");
}

/** Rules that always hold are given whole; the others by path, to be read when they apply. Skills come twice (seen). */
function rules(context: RequestContext | null): string {
  const skillPaths = new Set(context?.agentSkills.map((skill) => skill.fullPath));
  const told = [context?.rules ?? [], context?.nonFileRules ?? []].flatMap((list) =>
    list
      .filter(({ fullPath }) => !skillPaths.has(fullPath))
      .map(rule)
      .sort(),
  );
  return [...told, cutEnd(context?.cloudRule ?? "", ruleCharacters)].filter(Boolean).join("\n\n");
}

/** The client's name for the tools of the program it runs in. Of them it says only how to find them (seen). */
const programTools = "custom-user-tools";

/** What servers say about their tools as a whole. */
const mcpInstructions = (context: RequestContext | null): string =>
  (context?.mcpInstructions ?? [])
    .filter(
      ({ serverIdentifier, instructions }) => serverIdentifier !== programTools && instructions.trim() !== "",
    )
    .map(({ serverName, instructions }) => `${serverName}: ${cutEnd(instructions.trim(), statusCharacters)}`)
    .sort()
    .join("\n\n");

function rule({ fullPath, content, type }: CursorRule): string {
  switch (type?.type.case) {
    case "fileGlobbed":
      return `${fullPath}: for files like ${type.type.value.globs.join(", ")}; read it before you change one.`;
    case "agentFetched":
      return `${fullPath}: ${type.type.value.description}; read it when this applies.`;
    case "manuallyAttached":
      return "";
    case "global":
    case undefined:
      return `${fullPath}:\n${cutEnd(content.trim(), ruleCharacters)}`;
  }
}

const skills = (context: RequestContext | null): string =>
  (context?.agentSkills ?? [])
    .filter((skill) => !skill.disableModelInvocation)
    .map((skill) => `${skill.fullPath}: ${skill.description}; read it when this applies.`)
    .sort()
    .join("\n");

const git = (context: RequestContext | null): string =>
  (context?.gitRepos ?? [])
    .map(({ path, branchName, status }) => {
      const head = branchName ? `${path} (branch ${branchName})` : path;
      return `${head}\n${cutEnd(status.trim(), statusCharacters)}`.trim();
    })
    .sort()
    .join("\n\n");

function lastSaid(history: readonly Message[], tag: string): string | null {
  const said = history.findLast(
    (message): message is ContextMessage =>
      message.role === "context" && message.text.startsWith(`<${tag}>\n`),
  );
  return said?.text ?? null;
}
