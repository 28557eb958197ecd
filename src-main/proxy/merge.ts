/**
 * Our part of Cursor's catalogues, put behind what its server answered.
 *
 * protobuf: two messages one behind the other are their merger, so nothing of the answer is decoded, and what we do
 * not know in it stays. JSON: our entries at the end of its list.
 */
import { create, type DescMessage, type MessageInitShape, toBinary } from "@bufbuild/protobuf";
import { OwnkeyError } from "../base/errors.ts";
import { isArray, isObject, type JsonObject, parseJson } from "../base/json.ts";
import { GetUsableModelsResponseSchema } from "../gen/agent/v1/models_pb.ts";
import {
  type AvailableModelsResponse_AvailableModelSchema,
  AvailableModelsResponseSchema,
  GetDefaultModelNudgeDataResponseSchema,
  GetServerConfigResponseSchema,
  Http2Config,
} from "../gen/aiserver/v1/catalogue_pb.ts";
import { headerBytes, toEnvelope } from "../transport/wire/envelope.ts";

/** A model of the user's, as Cursor's catalogues show it. */
export interface OfferedModel {
  readonly id: string;
  readonly name: string;
  /** As its provider calls it. */
  readonly model: string;
  readonly thinking: boolean;
  readonly images: boolean;
  /** Tokens. */
  readonly contextWindow: number;
}

/** One call whose answer is added to. */
export interface Addition {
  readonly binary: Uint8Array;
  /** What is put into the lists, or over the fields, of a JSON answer. */
  readonly json: JsonObject;
}

export type AdditionName = "ide models" | "cli models" | "nudge" | "api models" | "configuration";

export function additionOf(name: AdditionName, models: readonly OfferedModel[]): Addition {
  switch (name) {
    case "ide models":
      return both(
        AvailableModelsResponseSchema,
        { modelNames: models.map(({ id }) => id), models: models.map(toIdeModel) },
        { modelNames: models.map(({ id }) => id), models: models.map(toIdeModel) },
      );
    case "cli models":
      return both(
        GetUsableModelsResponseSchema,
        { models: models.map(toCliModel) },
        { models: models.map(toCliModel) },
      );
    case "nudge": {
      const modelsWithNoDefaultSwitch = models.map(({ id }) => id);
      return both(
        GetDefaultModelNudgeDataResponseSchema,
        { modelsWithNoDefaultSwitch },
        { modelsWithNoDefaultSwitch },
      );
    }
    case "api models":
      return {
        binary: new Uint8Array(),
        json: { items: models.map(({ id, name: displayName }) => ({ id, displayName })) },
      };
    case "configuration":
      return both(
        GetServerConfigResponseSchema,
        { http2Config: Http2Config.FORCE_BIDI_DISABLED },
        { http2Config: "HTTP2_CONFIG_FORCE_BIDI_DISABLED" },
      );
  }
}

/** `type`: the answer's content-type. Throws `protocol` when the answer cannot be added to. */
export function addTo(body: Buffer, type: string, { binary, json }: Addition): Buffer {
  if (type.startsWith("application/json")) return Buffer.from(JSON.stringify(addToJson(body, json)));
  if (type.startsWith("application/proto")) return Buffer.concat([body, binary]);
  if (type.startsWith("application/connect+proto")) return addToEnvelope(body, binary);
  throw new OwnkeyError("protocol", `An answer of the type ${type} cannot be added to.`);
}

function addToJson(body: Buffer, added: JsonObject): JsonObject {
  const answer = parseJson(body.toString());
  if (!isObject(answer)) throw new OwnkeyError("protocol", "The answer is no JSON object.");
  const merged = Object.entries(added).map(([key, ours]) => {
    const theirs = answer[key];
    return [key, isArray(ours) ? [...(isArray(theirs) ? theirs : []), ...ours] : ours] as const;
  });
  return { ...answer, ...Object.fromEntries(merged) };
}

/** Into the first envelope; the one that ends the stream follows as it was. */
function addToEnvelope(body: Buffer, binary: Uint8Array): Buffer {
  const length = body.length < headerBytes ? 0 : body.readUInt32BE(1);
  const end = headerBytes + length;
  if (body[0] !== 0 || end > body.length)
    throw new OwnkeyError("protocol", "The answer is no plain envelope.");
  const content = Buffer.concat([body.subarray(headerBytes, end), binary]);
  return Buffer.concat([toEnvelope(content), body.subarray(end)]);
}

const both = <M extends DescMessage>(
  schema: M,
  message: MessageInitShape<M>,
  json: JsonObject,
): Addition => ({
  binary: toBinary(schema, create(schema, message)),
  json,
});

const toCliModel = ({ id, name, model, thinking }: OfferedModel) => ({
  modelId: id,
  displayModelId: model,
  displayName: name,
  displayNameShort: name,
  ...(thinking ? { thinkingDetails: {} } : {}),
});

const toIdeModel = ({ id, name, model, thinking, images, contextWindow }: OfferedModel) =>
  ({
    name: id,
    defaultOn: true,
    supportsAgent: true,
    tooltipData: {
      primaryText: name,
      secondaryText: `${model}, through Ownkey`,
      markdownContent: `${escaped(name)}, through Ownkey`,
    },
    supportsThinking: thinking,
    supportsImages: images,
    supportsMaxMode: false,
    contextTokenLimit: contextWindow,
    clientDisplayName: name,
    serverModelName: id,
    supportsNonMaxMode: true,
    supportsPlanMode: true,
    inputboxShortModelName: name,
    supportsSandboxing: true,
    supportsCmdK: false,
  }) satisfies MessageInitShape<typeof AvailableModelsResponse_AvailableModelSchema>;

/** A name is text, whatever it looks like. */
const escaped = (text: string): string => text.replaceAll(/[\\`*_{}[\]()#+\-.!|<>&]/g, "\\$&");
