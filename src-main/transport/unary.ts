/**
 * AgentService's small calls: one message in, one out, as protobuf or as JSON.
 *
 * A row is a path, its two messages, and what is answered; a conversation's title is all that is changed here.
 */
import {
  create,
  type DescMessage,
  fromJson,
  type JsonValue,
  type MessageInitShape,
  type MessageShape,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import { OwnkeyError } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import type { ModelDetailsSchema } from "../gen/agent/v1/agent_pb.ts";
import {
  GetAllowedModelIntentsRequestSchema,
  GetAllowedModelIntentsResponseSchema,
  GetDefaultModelForCliRequestSchema,
  GetDefaultModelForCliResponseSchema,
  GetPromptContextUsageRequestSchema,
  GetPromptContextUsageResponseSchema,
  GetUsableModelsRequestSchema,
  GetUsableModelsResponseSchema,
  UpdateConversationMetadataRequestSchema,
  UpdateConversationMetadataResponseSchema,
} from "../gen/agent/v1/models_pb.ts";
import type { Channel } from "../llm/types.ts";
import { ContextMeter, toTree } from "./dialect/context-meter.ts";
import type { Runners } from "./run/runners.ts";
import { readBody } from "./wire/body.ts";
import type { HttpRequest, HttpResponse } from "./wire/http.ts";
import { readMessage } from "./wire/message.ts";

export type Handle = (
  request: HttpRequest,
  response: HttpResponse,
  principal: string,
) => Promise<void> | void;

export interface UnaryOptions {
  /** Enabled channels in the user's order. */
  channels(): readonly Channel[];
  readonly runners: Pick<Runners, "peek">;
  rename(principal: string, conversationId: string, title: string): void;
}

const maxRequestBytes = 1024 * 1024;
const longestTitle = 100;

/** By method and path, like all routes. */
export function createUnary({ channels, runners, rename }: UnaryOptions): Readonly<Record<string, Handle>> {
  const service = "POST /agent.v1.AgentService";
  return {
    [`${service}/GetUsableModels`]: call(GetUsableModelsRequestSchema, GetUsableModelsResponseSchema, () => ({
      models: channels().map(toModel),
    })),
    [`${service}/GetDefaultModelForCli`]: call(
      GetDefaultModelForCliRequestSchema,
      GetDefaultModelForCliResponseSchema,
      () => {
        const [first] = channels();
        return first ? { model: toModel(first) } : {};
      },
    ),
    // Cursor's own grouping of its models: ours are in none.
    [`${service}/GetAllowedModelIntents`]: call(
      GetAllowedModelIntentsRequestSchema,
      GetAllowedModelIntentsResponseSchema,
      () => ({}),
    ),
    [`${service}/UpdateConversationMetadata`]: call(
      UpdateConversationMetadataRequestSchema,
      UpdateConversationMetadataResponseSchema,
      ({ conversationId, name }, principal) => {
        const title = (name ?? "").replaceAll(/[\s\p{Cc}]+/gu, " ").trim();
        if (title !== "") rename(principal, conversationId, title.slice(0, longestTitle));
        return {};
      },
    ),
    [`${service}/GetPromptContextUsage`]: call(
      GetPromptContextUsageRequestSchema,
      GetPromptContextUsageResponseSchema,
      ({ conversationId }, principal) => {
        const state = runners.peek({ principal, clientId: conversationId });
        return state
          ? { snapshot: { promptContextUsageTree: toTree(new ContextMeter().measure(state)) } }
          : {};
      },
    ),
  };
}

const toModel = ({ id, name, model, abilities }: Channel): MessageInitShape<typeof ModelDetailsSchema> => ({
  modelId: id,
  displayModelId: model,
  displayName: name,
  displayNameShort: name,
  ...(abilities.thinking ? { thinkingDetails: {} } : {}),
});

// ---- one call ------------------------------------------------------------------------------------------

/** `largest`: of the request, in bytes. */
export function call<I extends DescMessage, O extends DescMessage>(
  input: I,
  output: O,
  answer: (asked: MessageShape<I>, principal: string) => MessageInitShape<O> | Promise<MessageInitShape<O>>,
  largest = maxRequestBytes,
): Handle {
  return async (request, response, principal) => {
    const type = request.headers["content-type"] ?? "";
    const { read, write } = codecOf(type);
    const body = await readBody(request, largest);
    if (body.type === "oversized") throw new OwnkeyError("limit", "The request is too large.");
    const asked = parsed(() => read(input, body.bytes));
    const bytes = write(output, create(output, await answer(asked, principal)));
    response.writeHead(200, { "content-type": type, "content-length": bytes.length }).end(bytes);
  };
}

interface Codec {
  read<M extends DescMessage>(schema: M, bytes: Buffer): MessageShape<M>;
  write<M extends DescMessage>(schema: M, message: MessageShape<M>): Uint8Array;
}

const protobuf: Codec = { read: readMessage, write: toBinary };

const json: Codec = {
  read: (schema, bytes) =>
    fromJson(schema, parseJson(bytes.toString()) as JsonValue, { ignoreUnknownFields: true }),
  write: (schema, message) => Buffer.from(toJsonString(schema, message)),
};

/** Throws what becomes a 415. */
function codecOf(type: string): Codec {
  switch (type) {
    case "application/proto":
      return protobuf;
    case "application/json":
      return json;
    default:
      throw new OwnkeyError("protocol", "This call takes application/proto and application/json only.", {
        details: { status: 415 },
      });
  }
}

function parsed<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new OwnkeyError("protocol", "The request could not be read.", { cause });
  }
}
