/**
 * A piece of text or thinking as bytes, straight from the string.
 *
 * The same bytes that `toBinary` makes of the three messages in one another, without making them: there are hundreds
 * of thousands of these in an hour, and few of anything else.
 */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { AgentServerMessageSchema } from "../../gen/agent/v1/agent_pb.ts";
import {
  InteractionUpdateSchema,
  TextDeltaUpdateSchema,
  ThinkingDeltaUpdateSchema,
} from "../../gen/agent/v1/interaction_pb.ts";
import type { ResponseEvent } from "../../llm/types.ts";

export type Delta = Extract<ResponseEvent, { readonly type: "text_delta" | "thinking_delta" }>;

const update = AgentServerMessageSchema.field.interactionUpdate.number;
const { textDelta, thinkingDelta } = InteractionUpdateSchema.field;
const fields = {
  text_delta: { delta: textDelta.number, text: TextDeltaUpdateSchema.field.text.number },
  thinking_delta: { delta: thinkingDelta.number, text: ThinkingDeltaUpdateSchema.field.text.number },
} as const;

/** Keeps its memory from one message to the next. */
const writer = new BinaryWriter();

/** An AgentServerMessage. */
export function encodeDelta({ type, text }: Delta): Uint8Array {
  const field = fields[type];
  writer.tag(update, WireType.LengthDelimited).fork();
  writer.tag(field.delta, WireType.LengthDelimited).fork();
  writer.tag(field.text, WireType.LengthDelimited).string(text);
  return writer.join().join().finish();
}
