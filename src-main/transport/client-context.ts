/**
 * The client's context, by whichever of three ways it gives it: inline with the message, as parts named by the hash
 * of their bytes, or when asked. At most 10 s; what does not come in time or does not check out is left out.
 */

import type { Message } from "@bufbuild/protobuf";
import { create } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import type { Clock } from "../base/clock.ts";
import { sha256, toHex } from "../base/hash.ts";
import type { ConversationAction, PreFetchedBlob } from "../gen/agent/v1/agent_pb.ts";
import {
  type RequestContext,
  RequestContextMcpsPartSchema,
  type RequestContextPartReferences,
  RequestContextRulesPartSchema,
  RequestContextSchema,
  RequestContextSkillsPartSchema,
  RequestContextSubagentsPartSchema,
} from "../gen/agent/v1/context_pb.ts";
import type { Blobs } from "./blobs.ts";
import { contextQuestion, readContext } from "./dialect/context.ts";
import type { Execs } from "./execs.ts";
import { readMessage } from "./wire/message.ts";

export interface ContextSource {
  readonly clock: Clock;
  readonly execs: Execs;
  readonly blobs: Blobs;
  readonly preFetched: readonly PreFetchedBlob[];
  /** Of the question. */
  readonly execId: string;
  /** Writes out what was asked. */
  flush(): void;
}

const limitMs = 10_000;

export async function clientContext(
  action: ConversationAction | undefined,
  inline: RequestContext | undefined,
  source: ContextSource,
): Promise<RequestContext | null> {
  if (action?.requestContextParts) return fromParts(action.requestContextParts, inline, source);
  return inline ?? ask(source);
}

/** null: the client gave none in time, and the run begins without. */
function ask({ clock, execs, execId, flush }: ContextSource): Promise<RequestContext | null> {
  return new Promise((resolve) => {
    const callOff = clock.after(limitMs, () => resolve(null));
    execs.ask({
      execId,
      request: contextQuestion,
      answered: (reply) => {
        callOff();
        resolve(readContext(reply));
      },
    });
    flush();
  });
}

/** Later parts add to what is inline; repeated fields grow, as protobuf merges them. */
async function fromParts(
  parts: RequestContextPartReferences,
  inline: RequestContext | undefined,
  source: ContextSource,
): Promise<RequestContext> {
  const read = <T extends Message>(id: Uint8Array, length: number, schema: GenMessage<T>) =>
    readPart(id, length, schema, source);
  const [rules, skills, subagents, mcps] = await Promise.all([
    read(parts.rulesBlobId, parts.rulesByteLength, RequestContextRulesPartSchema),
    read(parts.skillsBlobId, parts.skillsByteLength, RequestContextSkillsPartSchema),
    read(parts.subagentsBlobId, parts.subagentsByteLength, RequestContextSubagentsPartSchema),
    read(parts.mcpsBlobId, parts.mcpsByteLength, RequestContextMcpsPartSchema),
  ]);
  const base = parts.dynamicContext ?? inline ?? create(RequestContextSchema);
  return {
    ...base,
    rules: [...base.rules, ...(rules?.rules ?? [])],
    nonFileRules: [...base.nonFileRules, ...(rules?.nonFileRules ?? [])],
    agentSkills: [...base.agentSkills, ...(skills?.agentSkills ?? [])],
    customSubagents: [...base.customSubagents, ...(subagents?.customSubagents ?? [])],
    tools: [...base.tools, ...(mcps?.tools ?? [])],
    mcpInstructions: [...base.mcpInstructions, ...(mcps?.mcpInstructions ?? [])],
    ...(mcps?.mcpMetaToolOptions ? { mcpMetaToolOptions: mcps.mcpMetaToolOptions } : {}),
  };
}

async function readPart<T extends Message>(
  id: Uint8Array,
  length: number,
  schema: GenMessage<T>,
  { preFetched, blobs, flush }: ContextSource,
): Promise<T | null> {
  if (id.length === 0) return null;
  const known = preFetched.find((blob) => Buffer.compare(blob.id, id) === 0);
  const fetched = known ? Promise.resolve(known.value) : blobs.fetch(id, limitMs);
  flush();
  const bytes = await fetched;
  if (!bytes || bytes.length !== length || toHex(sha256(bytes)) !== toHex(id)) return null;
  try {
    return readMessage(schema, bytes);
  } catch {
    return null; // a part that does not decode is left out; the run goes on
  }
}
