/**
 * A conversation as a column of things to read, in the order in which they happened. Pure.
 *
 * Messages stand at their place in the history; a call that brought no answer, a mark and the end of a turn stand
 * between them. A tool's result stands with its call: the n-th result of a model call answers its n-th tool call.
 */
import type {
  ConversationCall,
  ConversationReading,
  LiveBlock,
  MessageView,
  OperationView,
  PartView,
  TurnView,
} from "../../../src-main/contract/conversations.ts";

type TextPart = Extract<PartView, { readonly type: "text" | "thinking" }>;
type ToolPart = Extract<PartView, { readonly type: "tool_call" }>;

/** Where a part stands, for asking for all of it. */
export interface PartPlace {
  readonly seq: number;
  readonly part: number;
}

export type Item = { readonly key: string } & (
  | { readonly type: "user"; readonly message: MessageView }
  | { readonly type: "context"; readonly messages: readonly MessageView[] }
  | { readonly type: "thinking" | "text"; readonly part: TextPart; readonly place: PartPlace }
  | ToolItem
  | { readonly type: "broken"; readonly tries: ConversationCall["broken"] }
  | {
      readonly type: "mark";
      readonly cause: ConversationReading["marks"][number]["cause"];
      readonly createdMs: number;
    }
  | { readonly type: "turn"; readonly turn: TurnView; readonly calls: readonly ConversationCall[] }
  | { readonly type: "live"; readonly block: LiveBlock }
);

export interface ToolItem {
  readonly type: "tool";
  readonly call: ToolPart;
  readonly place: PartPlace;
  readonly result: MessageView | null;
  readonly operation: OperationView | null;
}

export function itemsOf(reading: ConversationReading): readonly Item[] {
  const column = new Column(reading);
  for (const message of reading.messages) column.add(message);
  column.end();
  return column.items;
}

class Column {
  readonly items: Item[] = [];
  readonly #reading: ConversationReading;
  readonly #results: ReadonlyMap<string, readonly MessageView[]>;
  readonly #operations: ReadonlyMap<string, OperationView>;
  /** By where they stand. */
  readonly #unanswered: ReadonlyMap<number, readonly ConversationCall[]>;
  readonly #answered: ReadonlyMap<number, ConversationCall>;
  readonly #marks: ReadonlyMap<number, ConversationReading["marks"]>;
  #turn = 0;

  constructor(reading: ConversationReading) {
    this.#reading = reading;
    const { messages, operations, calls, marks } = reading;
    this.#results = Map.groupBy(
      messages.filter(({ role }) => role === "tool"),
      ({ callId }) => callId ?? "",
    );
    this.#operations = new Map(operations.map((each) => [`${each.callId}/${each.index}`, each]));
    this.#unanswered = Map.groupBy(
      calls.filter(({ assistantSeq }) => assistantSeq === null),
      ({ messageCount }) => messageCount,
    );
    this.#answered = new Map(calls.map((call) => [call.assistantSeq ?? -1, call]));
    this.#marks = Map.groupBy(marks, ({ seq }) => seq);
  }

  add(message: MessageView): void {
    const { seq, turn, role } = message;
    if (turn !== this.#turn) {
      this.#endTurn();
      this.#turn = turn;
    }
    this.#between(seq);
    switch (role) {
      case "user":
        this.items.push({ key: `m${seq}`, type: "user", message });
        return;
      case "context":
        return this.#context(message);
      case "assistant":
        return this.#answer(message);
      case "tool":
        return; // stands with its call
    }
  }

  end(): void {
    this.#between(this.#reading.messages.length);
    const { live } = this.#reading;
    for (const [index, block] of (live?.blocks ?? []).entries())
      this.items.push({ key: `live${index}`, type: "live", block });
    this.#endTurn();
  }

  #between(seq: number): void {
    for (const { cause, createdMs } of this.#marks.get(seq) ?? [])
      this.items.push({ key: `mark${seq}`, type: "mark", cause, createdMs });
    for (const call of this.#unanswered.get(seq) ?? []) this.#broken(call);
    const call = this.#answered.get(seq);
    if (call) this.#broken(call);
  }

  #broken({ callId, broken }: ConversationCall): void {
    if (broken.length > 0) this.items.push({ key: `broken ${callId}`, type: "broken", tries: broken });
  }

  #context(message: MessageView): void {
    const last = this.items.at(-1);
    if (last?.type === "context")
      this.items[this.items.length - 1] = { ...last, messages: [...last.messages, message] };
    else this.items.push({ key: `m${message.seq}`, type: "context", messages: [message] });
  }

  #answer({ seq, callId, parts }: MessageView): void {
    let tools = 0;
    for (const [at, part] of parts.entries()) {
      const key = `m${seq}/${at}`;
      const place = { seq, part: at };
      if (part.type === "tool_call") {
        const index = tools++;
        const result = this.#results.get(callId ?? "")?.[index] ?? null;
        const operation = this.#operations.get(`${callId}/${index}`) ?? null;
        this.items.push({ key, type: "tool", call: part, place, result, operation });
      } else if (part.type !== "image" && part.text.trim() !== "")
        this.items.push({ key, type: part.type, part, place });
    }
  }

  #endTurn(): void {
    const turn = this.#reading.turns.findLast((each) => each.turn === this.#turn);
    if (!turn || turn.status === "open") return;
    const calls = this.#reading.calls.filter((call) => call.turn === turn.turn);
    this.items.push({ key: `turn${turn.turn}`, type: "turn", turn, calls });
  }
}

/** What the user asked, for the list of contents. */
export const promptOf = ({ parts }: MessageView): string =>
  parts
    .map((part) => (part.type === "text" ? part.text : ""))
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim();

/** All that is written in an item, for finding. */
export function textOf(item: Item): string {
  switch (item.type) {
    case "user":
      return promptOf(item.message);
    case "context":
      return item.messages.map(promptOf).join("\n");
    case "thinking":
    case "text":
      return item.part.text;
    case "tool":
      return [item.call.name, item.call.text, item.result ? promptOf(item.result) : ""].join("\n");
    case "broken":
      return item.tries.map(({ partial, error }) => `${partial ?? ""}\n${error ?? ""}`).join("\n");
    case "live":
      return item.block.text;
    case "mark":
      return "";
    case "turn":
      return item.turn.reason ?? "";
  }
}
