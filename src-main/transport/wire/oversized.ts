/**
 * An append too large to be taken, read by its two ends.
 *
 * The message itself (field 1, hex, or field 4, raw) is the only large thing in it; request_id and append_seqno stand
 * behind the hex and before the raw bytes. So the head gives the message's first fields, and head or tail the rest.
 * A refusal would make the client run its whole turn four times (seen).
 */
import { fromBinary } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { OwnkeyError } from "../../base/errors.ts";
import { type BidiAppendRequest, BidiAppendRequestSchema } from "../../gen/aiserver/v1/bidi_pb.ts";

const dataField = 1;
const rawField = 4;
const execResultField = 2;

/** Throws `protocol` when the ends do not tell which run it belongs to. */
export function readOversized(body: {
  readonly head: Buffer;
  readonly tail: Buffer;
  readonly length: number;
}): { readonly append: BidiAppendRequest; readonly execId: number | null } {
  try {
    const large = findLarge(body.head);
    const behind = body.length - (large.start + large.length);
    const rest = Buffer.concat([
      body.head.subarray(0, large.tag),
      behind > 0 && behind <= body.tail.length
        ? body.tail.subarray(body.tail.length - behind)
        : Buffer.alloc(0),
    ]);
    const begin = body.head.subarray(large.start);
    const message = large.field === dataField ? Buffer.from(begin.toString("latin1"), "hex") : begin;
    return { append: fromBinary(BidiAppendRequestSchema, rest), execId: execIdIn(message) };
  } catch (cause) {
    throw new OwnkeyError("protocol", "A request too large to be taken could not be told apart.", { cause });
  }
}

/** The field that does not fit: where its tag stands, where its bytes begin, how many they are. */
function findLarge(head: Buffer) {
  const reader = new BinaryReader(head);
  for (;;) {
    const tag = reader.pos;
    const [field, type] = reader.tag();
    if (type !== WireType.LengthDelimited || (field !== dataField && field !== rawField)) {
      reader.skip(type);
      continue;
    }
    const length = reader.uint32();
    if (reader.pos + length > head.length) return { tag, field, start: reader.pos, length };
    reader.pos += length;
  }
}

/** AgentClientMessage.exec_client_message.id, when these first bytes hold it. Throws `protocol`. */
export function execIdIn(message: Uint8Array): number | null {
  try {
    const reader = new BinaryReader(message);
    const [field] = reader.tag();
    if (field !== execResultField) return null;
    reader.uint32();
    const [inner, type] = reader.tag();
    return inner === 1 && type === WireType.Varint ? reader.uint32() : null;
  } catch (cause) {
    throw new OwnkeyError("protocol", "A message too large to be taken could not be told apart.", { cause });
  }
}
