/** A message between Cursor's client and us, told for diagnosis: what it is, what is in it, and what we do not know. */
import { toJson } from "@bufbuild/protobuf";
import { AgentClientMessageSchema, AgentServerMessageSchema } from "../gen/agent/v1/agent_pb.ts";
import type { Frame } from "./run/watch.ts";
import { readMessage } from "./wire/message.ts";

export interface ToldFrame {
  /** The kinds from outside in: "interactionUpdate textDelta". */
  readonly kind: string;
  /** protobuf's JSON, indented; cut where it is too long to be read. */
  readonly json: string;
  /** Fields of a newer client: their numbers, and how many bytes each has. */
  readonly unknown: readonly { readonly no: number; readonly bytes: number }[];
}

const longestJson = 20_000;
/** Larger messages hold files and pictures: what they are is told, what is in them is not. */
const largest = 256 * 1024;

export function tellFrame({ direction, bytes }: Pick<Frame, "direction" | "bytes">): ToldFrame {
  try {
    const message =
      direction === "to_client"
        ? readMessage(AgentServerMessageSchema, bytes)
        : readMessage(AgentClientMessageSchema, bytes);
    const json = bytes.length > largest ? "" : JSON.stringify(jsonOf(direction, bytes), null, 2);
    const unknown = (message.$unknown ?? []).map(({ no, data }) => ({ no, bytes: data.length }));
    return { kind: kindOf(message.message), json: json.slice(0, longestJson), unknown };
  } catch (reason) {
    return { kind: "unreadable", json: String(reason), unknown: [] };
  }
}

const jsonOf = (direction: Frame["direction"], bytes: Uint8Array) =>
  direction === "to_client"
    ? toJson(AgentServerMessageSchema, readMessage(AgentServerMessageSchema, bytes))
    : toJson(AgentClientMessageSchema, readMessage(AgentClientMessageSchema, bytes));

interface OneOf {
  readonly case?: string | undefined;
  readonly value?: unknown;
}

function kindOf({ case: kind = "empty", value }: OneOf): string {
  const inner = typeof value === "object" && value !== null && "message" in value ? value.message : null;
  const name = typeof inner === "object" && inner !== null && "case" in inner ? inner.case : null;
  return typeof name === "string" ? `${kind} ${name}` : kind;
}
