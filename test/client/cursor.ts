/**
 * Cursor's real client in this process: agents whose tools really run in throw-away folders.
 *
 * It reads the address of its server while it is loaded, so a process has one; node:test gives each file its own.
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type {
  AgentOptions,
  InteractionUpdate,
  LocalAgentOptions,
  Run,
  RunResult,
  SDKAgent,
  SDKMessage,
  SDKUserMessage,
  SendOptions,
  SteerAckOutcome,
} from "@cursor/sdk";
import { until } from "../support/until.ts";

const root = mkdtempSync(join(realpathSync(tmpdir()), "ownkey-client-"));
process.once("exit", () => rmSync(root, { recursive: true, force: true }));

export interface Login {
  readonly backendUrl: string;
  readonly key: string;
  /** The id of a channel. */
  readonly model: string;
  /** Of another process of the same user; else a new one. */
  readonly home?: string;
}

/** What an agent may be given beside a workspace: options of the SDK by their own names. */
export interface Equipment
  extends Pick<
      AgentOptions,
      "agents" | "disallowedTools" | "mcpServers" | "mode" | "systemPrompt" | "tools" | "agentId"
    >,
    Pick<LocalAgentOptions, "customTools" | "settingSources"> {
  /** Else a new folder. */
  readonly cwd?: string;
}

export interface Tool {
  readonly name: string;
  readonly status: "running" | "completed" | "error";
  readonly args?: unknown;
  readonly result?: unknown;
}

/** A card as the client keeps it: a ToolCall in protobuf's JSON. Also of the kinds that it does not show. */
export interface Card {
  readonly kind: string;
  readonly args: object;
  readonly result: object;
}

export interface Ended extends RunResult {
  /** All of it, also what stood before a tool. */
  readonly text: string;
  readonly thinking: string;
  /** Each card as it ended. */
  readonly tools: readonly Tool[];
}

export class Cursor {
  readonly home: string;
  readonly #sdk: typeof import("@cursor/sdk");
  readonly #login: Login;
  readonly #agents: Agent[] = [];

  static async start(login: Login): Promise<Cursor> {
    const home = login.home ?? newFolder("home");
    process.env.HOME = home;
    process.env.CURSOR_BACKEND_URL = login.backendUrl;
    process.chdir(home);
    return new Cursor(await import("@cursor/sdk"), login, home);
  }

  private constructor(sdk: typeof import("@cursor/sdk"), login: Login, home: string) {
    this.#sdk = sdk;
    this.#login = login;
    this.home = home;
  }

  async agent({ key, model, ...equipment }: Partial<Login> & Equipment = {}): Promise<Agent> {
    const { cwd = newFolder("workspace"), customTools, settingSources, ...more } = equipment;
    const local = {
      cwd,
      ...(customTools ? { customTools } : {}),
      ...(settingSources ? { settingSources } : {}),
    };
    const login = { apiKey: key ?? this.#login.key, model: { id: model ?? this.#login.model } };
    return this.#keep(await this.#sdk.Agent.create({ ...more, ...login, local }), cwd);
  }

  async resume(agentId: string, cwd: string): Promise<Agent> {
    const { key, model } = this.#login;
    const options = { apiKey: key, model: { id: model }, local: { cwd } };
    return this.#keep(await this.#sdk.Agent.resume(agentId, options), cwd);
  }

  /** Stops what the agents still do: a command would go on without them, and the process with it. */
  async close(): Promise<void> {
    await Promise.all(this.#agents.map((agent) => agent.close()));
  }

  #keep(agent: SDKAgent, cwd: string): Agent {
    const kept = new Agent(agent, cwd, this.#sdk);
    this.#agents.push(kept);
    return kept;
  }
}

export type Sent = Pick<SendOptions, "mode" | "model">;

export class Agent {
  readonly cwd: string;
  readonly #agent: SDKAgent;
  readonly #sdk: typeof import("@cursor/sdk");
  #turn: Turn | null = null;

  constructor(agent: SDKAgent, cwd: string, sdk: typeof import("@cursor/sdk")) {
    this.#agent = agent;
    this.#sdk = sdk;
    this.cwd = cwd;
  }

  get id(): string {
    return this.#agent.agentId;
  }

  /** In the workspace. */
  path(name: string): string {
    return join(this.cwd, name);
  }

  put(files: Readonly<Record<string, string>>): void {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(this.path(name)), { recursive: true });
      writeFileSync(this.path(name), text);
    }
  }

  text(name: string): string {
    return readFileSync(this.path(name), "utf8");
  }

  async send(message: string | SDKUserMessage, options: Sent = {}): Promise<Turn> {
    const updates: InteractionUpdate[] = [];
    const onDelta = ({ update }: { readonly update: InteractionUpdate }) => void updates.push(update);
    this.#turn = new Turn(await this.#agent.send(message, { ...options, onDelta }), updates);
    return this.#turn;
  }

  /** A whole turn. */
  async ask(message: string | SDKUserMessage, options?: Sent): Promise<Ended> {
    return (await this.send(message, options)).ended;
  }

  /** The cards of the newest turn. */
  async kept(): Promise<readonly Card[]> {
    const turns = await this.#sdk.Agent.messages.list(this.id, { cwd: this.cwd });
    const { agentConversationTurn: turn } = JSON.parse(JSON.stringify(turns.at(-1)?.message)) as KeptTurn;
    return turn.steps.flatMap(({ toolCall = {} }) =>
      Object.entries(toolCall).flatMap(([kind, card]) =>
        kind.endsWith("ToolCall") ? [{ kind, ...card }] : [],
      ),
    );
  }

  /** Reads rules, skills and subagents anew: the client does so once for each agent. */
  async reload(): Promise<void> {
    await this.#agent.reload();
  }

  async close(): Promise<void> {
    await this.#turn?.cancel();
    this.#agent.close();
  }
}

interface KeptTurn {
  readonly agentConversationTurn: {
    readonly steps: readonly { readonly toolCall?: Readonly<Record<string, Omit<Card, "kind">>> }[];
  };
}

export class Turn {
  readonly updates: readonly InteractionUpdate[];
  readonly ended: Promise<Ended>;
  readonly #run: Run;

  constructor(run: Run, updates: readonly InteractionUpdate[]) {
    this.#run = run;
    this.updates = updates;
    this.ended = end(run);
  }

  async cancel(): Promise<void> {
    if (this.#run.status === "running") await this.#run.cancel();
  }

  /** Says something to the model while it works; resolves with what became of it. */
  async steer(text: string): Promise<SteerAckOutcome | undefined> {
    return this.#run.steer?.(text);
  }

  /** Resolves when the user has seen that text. */
  shows(text: string): Promise<void> {
    const shown = () =>
      this.updates.map((update) => (update.type === "text-delta" ? update.text : "")).join("");
    return until(() => shown().includes(text), `the text ${JSON.stringify(text)}`);
  }
}

let folders = 0;

export function newFolder(name: string): string {
  const path = join(root, `${name}-${++folders}`);
  mkdirSync(path);
  return path;
}

async function end(run: Run): Promise<Ended> {
  const said: SDKMessage[] = [];
  for await (const message of run.stream()) said.push(message);
  const result = await run.wait();
  const cards = new Map<string, Tool>();
  let [text, thinking] = ["", ""];
  for (const message of said) {
    if (message.type === "tool_call") {
      const { call_id: id, name, status, args, result } = message;
      cards.set(id, { name, status, args, result });
    }
    if (message.type === "thinking") thinking += message.text;
    if (message.type === "assistant")
      for (const block of message.message.content) if (block.type === "text") text += block.text;
  }
  return { ...result, text, thinking, tools: [...cards.values()] };
}
