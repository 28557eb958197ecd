/** That a question to the client leaves every decision about it to the user. */
import assert from "node:assert/strict";
import { type DescField, type DescMessage, fromBinary, type Message } from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { type ExecServerMessage, ExecServerMessageSchema } from "../../src-main/gen/agent/v1/exec_pb.ts";
import { InteractionQuerySchema } from "../../src-main/gen/agent/v1/queries_pb.ts";
import type { Step } from "../../src-main/loop/types.ts";

/** Fields by which a server answers in the user's place. */
const loosening = [
  "skip_approval",
  "classifier_result",
  "smart_mode_approval",
  "smart_mode_approval_only",
  "requested_sandbox_policy",
  "sandbox_policy",
];

/** Of every message in it: none of those fields is set, no field is unknown to us, no command is claimed parsed. */
export function assertHonest(step: Step): void {
  if (step.type === "exec") check(ExecServerMessageSchema, fromBinary(ExecServerMessageSchema, step.request));
  if (step.type === "query") check(InteractionQuerySchema, fromBinary(InteractionQuerySchema, step.request));
}

/** The same of a question as it came over the wire. */
export const assertHonestExec = (exec: ExecServerMessage): void => check(ExecServerMessageSchema, exec);

const check = (schema: DescMessage, message: Message): void => checkMessage(reflect(schema, message));

function checkMessage(message: ReflectMessage): void {
  const { typeName } = message.desc;
  // An MCP tool's arguments are its own affair, whatever they are called.
  if (typeName.startsWith("google.protobuf.")) return;
  assert.equal(message.getUnknown(), undefined, typeName);
  for (const field of message.fields) {
    if (loosening.includes(field.name))
      assert.equal(message.isSet(field), false, `${typeName}.${field.name}`);
    if (field.name === "parsing_result") assertUnparsed(message.get(field) as ReflectMessage);
    for (const inner of messagesIn(message, field)) checkMessage(inner);
  }
}

function messagesIn(message: ReflectMessage, field: DescField): readonly ReflectMessage[] {
  if (!message.isSet(field)) return [];
  if (field.fieldKind === "message") return [message.get(field)];
  if (field.fieldKind === "list" && field.listKind === "message")
    return [...message.get(field)] as ReflectMessage[];
  return field.fieldKind === "map" && field.mapKind === "message"
    ? ([...message.get(field).values()] as ReflectMessage[])
    : [];
}

function assertUnparsed(result: ReflectMessage): void {
  const set = result.fields.filter((field) => result.isSet(field)).map(({ name }) => name);
  assert.deepEqual(set, ["parsing_failed"]);
}
