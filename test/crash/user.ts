/**
 * A user with Cursor's client: takes turn after turn, and comes back when the connection breaks, as section 10 of
 * PROTOCOL.md says: later each time, with a new request_id and the same run_id; with the last checkpoint once the turn
 * has brought one, with the message again before.
 */
import { setTimeout } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import type { AgentRunRequest, AgentServerMessage } from "../../src-main/gen/agent/v1/agent_pb.ts";
import { McpToolsSchema } from "../../src-main/gen/agent/v1/mcp_pb.ts";
import type { Scope } from "../support/scope.ts";
import type { End } from "../support/sight.ts";
import { Client, newId } from "../support/wire.ts";
import type { Lane } from "./lane.ts";
import { plays, promptFor } from "./plays.ts";
import type { Random } from "./random.ts";

export interface UserOptions {
  readonly scope: Scope;
  readonly lane: Lane;
  readonly tag: string;
  readonly play: string;
  readonly random: Random;
  /** How much faster than Cursor's this client comes back. */
  readonly speed: number;
}

export interface TurnSeen {
  /** Everything that was shown, over all attempts. */
  readonly seen: readonly AgentServerMessage[];
  readonly end: End;
}

/** Real time, so that a busy machine is no fault of the program. */
const longestAttemptMs = 120_000;
const toolMs = 3;
const commandMs = 12;
/** Transport errors in a row, after which the client gives up. */
const mostRetries = 10;
/** Attempts in a row that stream and bring no checkpoint. */
const mostFruitless = 2;

export class User {
  readonly tag: string;
  readonly play: string;
  readonly client: Client;
  readonly turns: TurnSeen[] = [];
  readonly #options: UserOptions;
  /** Whether a turn is going on. */
  isWaiting = false;

  constructor(options: UserOptions) {
    const { scope, lane, tag, play } = options;
    this.#options = options;
    this.tag = tag;
    this.play = play;
    this.client = new Client(scope, lane.url, lane.key);
    this.client.conversationId = tag;
    const { machine } = this.client;
    machine.pause = () => setTimeout(toolMs);
    machine.shell = (command) => ({ stdout: [`${command}\n`, "done\n"], until: setTimeout(commandMs) });
  }

  async takeAll(): Promise<void> {
    for (const turn of (plays[this.play] ?? []).keys()) {
      this.isWaiting = true;
      const seen = await this.#take(turn);
      this.isWaiting = false;
      this.turns.push(seen);
      if (seen.end.type !== "finished") return;
    }
  }

  async #take(turn: number): Promise<TurnSeen> {
    const { tag, play, lane, random, speed } = this.#options;
    const text = promptFor(tag, play, turn);
    const runId = newId("run");
    const common = { runId, model: lane.model, amend: bringTools };
    const seen: AgentServerMessage[] = [];
    let [retries, fruitless, hasCheckpoint] = [0, 0, false];
    for (;;) {
      const attempt = this.client.run(hasCheckpoint ? common : { ...common, text });
      await attempt.until(() => attempt.end !== null, "the stream ends", longestAttemptMs);
      const end = await attempt.ended();
      seen.push(...attempt.seen);
      const isFruitless = hasCheckpoint && attempt.text !== "" && attempt.checkpoints.length === 0;
      fruitless = isFruitless ? fruitless + 1 : 0;
      hasCheckpoint ||= attempt.checkpoints.length > 0;
      if (attempt.checkpoints.length > 0) retries = 0;
      if (!isBroken(end) || retries === mostRetries || fruitless === mostFruitless) return { seen, end };
      retries++;
      await setTimeout(pauseMs(retries, random) / speed);
    }
  }
}

/** Seen: a stream that ends without its last envelope, or that nobody opens, is tried again. */
const isBroken = ({ type }: End): boolean => type === "dropped";

const pauseMs = (retry: number, random: Random): number =>
  Math.min(1_000 * 2 ** retry, 60_000) * (1 + random.next() / 5);

function bringTools(request: AgentRunRequest): void {
  request.mcpTools = create(McpToolsSchema, {
    mcpTools: ["deploy", "look"].map((toolName) => ({
      name: `program-${toolName}`,
      toolName,
      providerIdentifier: "program",
      description: toolName,
      ...(toolName === "look" ? { annotationsJson: '{"readOnlyHint":true}' } : {}),
    })),
  });
}
