/** What a client has seen of one attempt, and the waiting for more. */
import { fromBinary } from "@bufbuild/protobuf";
import type { AgentServerMessage } from "../../src-main/gen/agent/v1/agent_pb.ts";
import type { ConversationStateStructure } from "../../src-main/gen/agent/v1/conversation_pb.ts";
import type { ExecServerMessage } from "../../src-main/gen/agent/v1/exec_pb.ts";
import type { InteractionUpdate } from "../../src-main/gen/agent/v1/interaction_pb.ts";
import { type ErrorDetails, ErrorDetailsSchema } from "../../src-main/gen/aiserver/v1/errors_pb.ts";

type ExecCase = NonNullable<ExecServerMessage["message"]["case"]>;
type UpdateCase = NonNullable<InteractionUpdate["message"]["case"]>;
type UpdateOf<K extends UpdateCase> = Extract<InteractionUpdate["message"], { readonly case: K }>["value"];

/** How a stream ended. */
export type End =
  | { readonly type: "finished" }
  | {
      readonly type: "failed";
      readonly code: string;
      readonly message: string;
      readonly details: ErrorDetails | null;
    }
  /** The socket was closed without a last envelope. */
  | { readonly type: "dropped" }
  | { readonly type: "refused"; readonly status: number; readonly code: string; readonly message: string };

const patienceMs = 20_000;

export class Sight {
  /** Everything that came, in order. */
  readonly seen: AgentServerMessage[] = [];
  /** How much of `seen` is proven taken. */
  proven = 0;
  end: End | null = null;
  readonly #watchers = new Set<() => void>();

  get updates(): InteractionUpdate["message"][] {
    return updatesIn(this.seen);
  }

  all<K extends UpdateCase>(kind: K): UpdateOf<K>[] {
    return this.updates.flatMap((update) => (update.case === kind ? [update.value as UpdateOf<K>] : []));
  }

  get text(): string {
    return textIn(this.seen);
  }

  get thinking(): string {
    return this.all("thinkingDelta")
      .map(({ text }) => text)
      .join("");
  }

  /** What the client keeps for certain: what came before the last mark it answered. */
  get provenText(): string {
    return textIn(this.seen.slice(0, this.proven));
  }

  execs(kind?: ExecCase): ExecServerMessage[] {
    return this.seen.flatMap(({ message }) =>
      message.case === "execServerMessage" && (kind === undefined || message.value.message.case === kind)
        ? [message.value]
        : [],
    );
  }

  /** The execs that were to be stopped. */
  get aborted(): number[] {
    return this.seen.flatMap(({ message }) =>
      message.case === "execServerControlMessage" && message.value.message.case === "abort"
        ? [message.value.message.value.id]
        : [],
    );
  }

  get checkpoints(): ConversationStateStructure[] {
    return this.seen.flatMap(({ message }) =>
      message.case === "conversationCheckpointUpdate" ? [message.value] : [],
    );
  }

  // ---- waiting -----------------------------------------------------------------------------------------

  async until(condition: () => boolean, what = condition.toString(), ms = patienceMs): Promise<void> {
    if (condition()) return;
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        clearTimeout(timer);
        this.#watchers.delete(look);
      };
      const look = () => {
        if (!condition()) return;
        stop();
        resolve();
      };
      const timer = setTimeout(() => {
        stop();
        reject(new Error(`never: ${what}\n${this.describe()}`));
      }, ms);
      this.#watchers.add(look);
    });
  }

  describe(): string {
    const lines = this.seen.map(({ message }) =>
      message.case === "interactionUpdate" ? message.value.message.case : message.case,
    );
    return `seen ${lines.length}: ... ${lines.slice(-30).join(" ")}\nend: ${JSON.stringify(this.end)}`;
  }

  protected changed(): void {
    for (const look of [...this.#watchers]) look();
  }

  /** The first end counts. */
  protected over(end: End): void {
    if (this.end) return;
    this.end = end;
    this.changed();
  }
}

const updatesIn = (seen: readonly AgentServerMessage[]): InteractionUpdate["message"][] =>
  seen.flatMap(({ message }) => (message.case === "interactionUpdate" ? [message.value.message] : []));

const textIn = (seen: readonly AgentServerMessage[]): string =>
  updatesIn(seen)
    .map((update) => (update.case === "textDelta" ? update.value.text : ""))
    .join("");

/** The last envelope. */
export function readEnd(json: Buffer): End {
  const { error } = JSON.parse(json.toString()) as {
    readonly error?: {
      readonly code: string;
      readonly message: string;
      readonly details?: readonly { readonly type: string; readonly value: string }[];
    };
  };
  if (!error) return { type: "finished" };
  const detail = error.details?.find(({ type }) => type === "aiserver.v1.ErrorDetails");
  const details = detail ? fromBinary(ErrorDetailsSchema, Buffer.from(detail.value, "base64")) : null;
  return { type: "failed", code: error.code, message: error.message, details };
}
