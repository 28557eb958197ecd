/**
 * Conversations as people look for them: newest first, by words that stand anywhere in them.
 *
 * Rule: a search never holds up the program. It looks for as long as it is given, then says where to go on, so that
 * the caller asks again until it has what it wants. Words are matched as they are, without patterns.
 */
import type { Database } from "better-sqlite3";
import type { Message } from "../../llm/types.ts";
import type { ConversationStatus } from "../state.ts";

export interface ListedConversation {
  readonly id: string;
  readonly title: string | null;
  readonly status: ConversationStatus;
  /** A run of it has not ended. */
  readonly isOpen: boolean;
  readonly channelId: string | null;
  readonly channelName: string | null;
  readonly model: string | null;
  /** The first folder of the client's workspace. */
  readonly workspace: string | null;
  readonly messages: number;
  readonly turns: number;
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** Where the words were found, with a little of what stands around them. */
export interface Found {
  readonly seq: number;
  readonly before: string;
  readonly match: string;
  readonly after: string;
}

export interface Hit {
  readonly conversation: ListedConversation;
  /** null: no words were asked for, or the title has them. */
  readonly found: Found | null;
}

/** The row after which the list goes on. */
export interface Place {
  readonly updatedMs: number;
  readonly id: string;
}

export interface Search {
  /** "" for all. */
  readonly text: string;
  readonly status: readonly ConversationStatus[] | null;
  readonly sinceMs: number | null;
  readonly after: Place | null;
  readonly limit: number;
}

export interface Hits {
  readonly hits: readonly Hit[];
  /** Where the search goes on; null when everything was looked at. */
  readonly next: Place | null;
}

interface ListedSql extends Omit<ListedConversation, "isOpen" | "turns"> {
  readonly isOpen: number;
  readonly epoch: number;
  readonly turns: number | null;
}

const around = 60;
const pageRows = 50;

export function createList(db: Database) {
  const select = db.prepare<[number, string, number, number], ListedSql>(
    `${view} WHERE (c.updated_ms, c.id) < (?, ?) AND c.updated_ms >= ? ORDER BY c.updated_ms DESC, c.id DESC LIMIT ?`,
  );
  const selectOne = db.prepare<[string], ListedSql>(`${view} WHERE c.id = ?`);
  const selectTexts = db.prepare<[string, number, string], { readonly seq: number; readonly json: string }>(
    `SELECT seq, json FROM messages WHERE conversation_id = ? AND epoch = ? AND instr(lower(json), ?) > 0
     ORDER BY seq LIMIT 20`,
  );

  function* rows(after: Place, sinceMs: number): Generator<ListedSql, void, undefined> {
    for (let place: Place | undefined = after; place; ) {
      const page: ListedSql[] = select.all(place.updatedMs, place.id, sinceMs, pageRows);
      yield* page;
      place = page.length < pageRows ? undefined : page.at(-1);
    }
  }

  function find(row: ListedSql, words: string): Hit | null {
    const conversation = toListed(row);
    if (words === "" || conversation.title?.toLowerCase().includes(words))
      return { conversation, found: null };
    // JSON writes some characters as escapes: what is looked for in it is written the same way.
    const written = JSON.stringify(words).slice(1, -1);
    for (const { seq, json } of selectTexts.iterate(row.id, row.epoch, written)) {
      const found = foundIn(textOf(JSON.parse(json) as Message), words);
      if (found) return { conversation, found: { seq, ...found } };
    }
    return null;
  }

  return {
    get(id: string): ListedConversation | null {
      const row = selectOne.get(id);
      return row ? toListed(row) : null;
    },
    /** Stops after `limit` hits, or once `isLate` says so. */
    search({ text, status, sinceMs, after, limit }: Search, isLate: () => boolean): Hits {
      const words = text.trim().toLowerCase();
      const hits: Hit[] = [];
      for (const row of rows(after ?? newest, sinceMs ?? 0)) {
        const hit = !status || status.includes(row.status) ? find(row, words) : null;
        if (hit) hits.push(hit);
        if (hits.length >= limit || isLate()) return { hits, next: { updatedMs: row.updatedMs, id: row.id } };
      }
      return { hits, next: null };
    },
  };
}

const newest: Place = { updatedMs: Number.MAX_SAFE_INTEGER, id: "" };

const view = `
  SELECT c.id, c.title, c.status, c.epoch, c.channel_id AS channelId, coalesce(channels.name, c.channel_id) AS channelName,
    (SELECT model FROM llm_calls WHERE llm_calls.conversation_id = c.id
      ORDER BY epoch DESC, call_count DESC LIMIT 1) AS model,
    (SELECT json_extract(bytes, '$.workspace.paths[0]') FROM runs JOIN request_parts ON hash = setup_hash
      WHERE runs.conversation_id = c.id ORDER BY started_ms DESC LIMIT 1) AS workspace,
    EXISTS (SELECT 1 FROM runs WHERE runs.conversation_id = c.id AND runs.status = 'open') AS isOpen,
    json_extract(c.state_json, '$.turn') AS turns,
    c.message_count AS messages, c.created_ms AS createdMs, c.updated_ms AS updatedMs
  FROM conversations c LEFT JOIN channels ON channels.id = c.channel_id`;

const toListed = ({ epoch: _, isOpen, turns, ...row }: ListedSql): ListedConversation => ({
  ...row,
  isOpen: isOpen === 1,
  turns: turns ?? 0,
});

/** What people read of a message. */
function textOf(message: Message): string {
  switch (message.role) {
    case "user":
      return message.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n");
    case "context":
    case "tool":
      return message.text;
    case "assistant":
      return message.blocks
        .map((block) => (block.type === "tool_call" ? `${block.name} ${block.arguments}` : block.text))
        .join("\n");
  }
}

function foundIn(text: string, words: string): Omit<Found, "seq"> | null {
  const at = text.toLowerCase().indexOf(words);
  if (at === -1) return null;
  const end = at + words.length;
  return {
    before: text.slice(Math.max(0, at - around), at),
    match: text.slice(at, end),
    after: text.slice(end, end + around),
  };
}
