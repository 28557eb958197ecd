/**
 * A client's bytes -> the message. What protobuf would take as objects beyond measure is refused before it is read.
 *
 * Unknown fields are kept one by one, and messages are objects: a megabyte of the smallest ones costs a second and a
 * hundred megabytes (seen). The bytes are walked first, along the schema, which takes a fraction of that.
 */
import { type DescMessage, fromBinary, type MessageShape } from "@bufbuild/protobuf";
import { BinaryReader, WireType } from "@bufbuild/protobuf/wire";
import { OwnkeyError } from "../../base/errors.ts";

/** Unknown fields and messages together. The largest that were seen have a few thousand. */
const mostObjects = 300_000;
/** Protobuf refuses what is nested deeper. */
const deepest = 100;

/** Throws `protocol`. */
export function readMessage<D extends DescMessage>(schema: D, bytes: Uint8Array): MessageShape<D> {
  try {
    count(childrenOf(schema), new BinaryReader(bytes), bytes.length, { objects: 0 }, 0);
    return fromBinary(schema, bytes);
  } catch (cause) {
    if (cause instanceof OwnkeyError) throw cause;
    throw new OwnkeyError("protocol", "The message could not be read as protobuf.", { cause });
  }
}

/** By number: what is in the message of a field; null for a scalar. */
type Children = ReadonlyMap<number, (() => Children) | null>;

function count(
  children: Children,
  reader: BinaryReader,
  end: number,
  sum: { objects: number },
  depth: number,
): void {
  while (reader.pos < end) {
    const [no, type] = reader.tag();
    const child = children.get(no);
    if (child !== null && ++sum.objects > mostObjects)
      throw new OwnkeyError("protocol", `The message has more than ${mostObjects} parts.`);
    if (child && type === WireType.LengthDelimited && depth < deepest) {
      const length = reader.uint32();
      count(child(), reader, reader.pos + length, sum, depth + 1);
    } else reader.skip(type, no);
  }
}

const known = new WeakMap<DescMessage, Children>();

function childrenOf(schema: DescMessage): Children {
  const remembered = known.get(schema);
  if (remembered) return remembered;
  const children = new Map(
    schema.fields.map((field) => {
      const { number, message, fieldKind } = field;
      const inside = message ? () => childrenOf(message) : null;
      return [number, fieldKind === "map" ? () => entryOf(inside) : inside] as const;
    }),
  );
  known.set(schema, children);
  return children;
}

/** A map is a list of messages of a key and a value. */
const entryOf = (value: (() => Children) | null): Children =>
  new Map([
    [1, null],
    [2, value],
  ]);
