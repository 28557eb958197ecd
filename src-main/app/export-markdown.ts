/**
 * A conversation as Markdown, as its user saw it: what was rewound is left out, what was summed up is not.
 *
 *   rewind       what stood before the place it went back to, then its own messages
 *   compaction   the whole epoch before, a note, then its own messages without those it carried over
 */
import type { AssistantBlock, ImagePart, TextPart } from "../llm/types.ts";
import type { CallRecord, ConversationRecord, EpochRecord, MessageRecord } from "../store/record.ts";

/** `at`: its place in the history of the epoch that is told; -1 when it stands there no more. */
interface Told {
  readonly at: number;
  readonly row: MessageRecord;
  /** The first message of a compaction's epoch. */
  readonly isSummary: boolean;
}

export function toMarkdown(record: ConversationRecord): string {
  const calls = new Map(record.calls.map((call) => [call.callId, call]));
  const about = [
    `Cursor's conversation \`${record.clientId}\``,
    `begun ${printed(record.createdMs)}`,
    `last changed ${printed(record.updatedMs)}`,
  ];
  const parts = storyOf(record.epochs, record.epoch).flatMap(({ row, isSummary }) => [
    ...(isSummary ? ["---", "*Here the conversation was summed up for the model:*"] : []),
    ...partsOf(row, calls),
    ...record.calls.filter((call) => isAskedAfter(call, row)).flatMap(cutOff),
  ]);
  return `${[`# ${titleOf(record)}`, about.join(" · "), ...parts].join("\n\n")}\n`;
}

function storyOf(epochs: readonly EpochRecord[], number: number | null): readonly Told[] {
  const epoch = epochs.find((each) => each.epoch === number);
  if (!epoch) return [];
  const earlier = epochs.filter((each) => each.epoch < epoch.epoch);
  const isCompaction = epoch.cause === "compaction";
  const own = epoch.messages.map((row, index) => ({
    at: epoch.baseCount + index,
    row,
    isSummary: isCompaction && index === 0,
  }));
  if (!isCompaction)
    return [...storyOf(earlier, epoch.baseEpoch).filter(({ at }) => at < epoch.baseCount), ...own];
  const before = storyOf(earlier, epoch.baseEpoch ?? earlier.at(-1)?.epoch ?? null);
  const { head, kept, end } = carriedOver(before, epoch.messages);
  const moved = before.slice(0, end).map((told, index) => {
    const place = index - (end - kept);
    return { ...told, at: place < 0 ? -1 : place + head };
  });
  return [...moved, ...own.toSpliced(1, head - 1 + kept)];
}

/**
 * A summary, and with it as many messages of context as make up the `head`, stand in front of the newest messages:
 * those `kept` ones stood in front of `end` in what came before, where only the wish to sum up came after them.
 */
function carriedOver(before: readonly Told[], messages: readonly MessageRecord[]) {
  const texts = before.map(({ row }) => JSON.stringify(row.message));
  const own = messages.map(({ message }) => JSON.stringify(message));
  const copied = messages.slice(1).findIndex(({ message }, index) => {
    return message.role !== "context" || !texts.includes(own[index + 1] ?? "");
  });
  const heads = copied < 0 ? messages.length : copied + 1;
  for (let kept = Math.min(texts.length, own.length - 1); kept > 0; kept--)
    for (let head = 1; head <= heads; head++)
      for (const end of [texts.length, texts.length - 1])
        if (
          own.slice(head, head + kept).length === kept &&
          isAt(texts, end - kept, own.slice(head, head + kept))
        )
          return { head, kept, end };
  return { head: heads, kept: 0, end: texts.length };
}

const isAt = (texts: readonly string[], start: number, part: readonly string[]): boolean =>
  part.every((text, index) => text === texts[start + index]);

const isAskedAfter = (call: CallRecord, row: MessageRecord): boolean =>
  call.epoch === row.epoch && call.messageCount === row.seq + 1;

/** What was seen of answers that never became messages. */
function cutOff({ tries }: CallRecord): readonly string[] {
  return tries.flatMap(({ partial, error }) => {
    if (!partial) return [];
    return [`*An answer that was cut off${error ? ` (${inline(error.message)})` : ""}:*`, quoted(partial)];
  });
}

function partsOf(
  { message, callId }: MessageRecord,
  calls: ReadonlyMap<string, CallRecord>,
): readonly string[] {
  switch (message.role) {
    case "user":
      return ["## You", ...message.parts.map(partOf)];
    case "context":
      return [folded("Context", fenced(message.text, ""))];
    case "assistant": {
      const call = calls.get(callId ?? "");
      const by = call ? `${inline(call.channelName)} (${inline(call.model)})` : "Model";
      return [`## ${by}`, ...message.blocks.map(blockOf)];
    }
    case "tool": {
      const name = `${message.isError ? "Error" : "Result"} of ${inline(message.toolName)}`;
      return [folded(name, fenced(message.text, "")), ...(message.images ?? []).map(partOf)];
    }
  }
}

function blockOf(block: AssistantBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "thinking":
      return folded("Thinking", quoted(block.text));
    case "tool_call":
      return `**${inline(block.name)}**\n\n${fenced(indented(block.arguments), "json")}`;
  }
}

const partOf = (part: TextPart | ImagePart): string =>
  part.type === "text" ? part.text : `*(an image, ${inline(part.mimeType)})*`;

const folded = (title: string, content: string): string =>
  `<details>\n<summary>${title}</summary>\n\n${content}\n\n</details>`;

/** A fence longer than any inside. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

const quoted = (text: string): string => text.replaceAll(/^/gm, "> ");

function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}

/** Foreign words in a line of ours. */
const inline = (text: string): string => text.replaceAll(/\s+/g, " ").replaceAll(/[\\`*_[\]<>#|]/g, "\\$&");

const titleOf = ({ title }: ConversationRecord): string => inline(title ?? "") || "Conversation";

const printed = (ms: number): string => new Date(ms).toISOString().slice(0, 16).replace("T", " ");
