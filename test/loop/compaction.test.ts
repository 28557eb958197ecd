/** Shorter histories: when, what is kept, and that it ends. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import fc from "fast-check";
import type { AssistantMessage, Message } from "../../src-main/llm/types.ts";
import { contextOverflow } from "../../src-main/loop/call.ts";
import { instruction, shorten } from "../../src-main/loop/compaction.ts";
import { tokensOf } from "../../src-main/loop/size.ts";
import { emptyConversation } from "../../src-main/loop/transition.ts";
import type { ConversationState } from "../../src-main/loop/types.ts";
import {
  answerOf,
  answers,
  call,
  calls,
  cancels,
  fails,
  injects,
  llm,
  play,
  setup,
  starts,
  text,
  tools,
  usage,
  userSays,
} from "../support/play.ts";

const small = { ...setup, compactAt: 1_000 };
const long = (words: number) => "word ".repeat(words);
const overflows = fails({ code: contextOverflow });
/** An answer after which the provider has counted so many tokens. */
const counts = (tokens: number, value: string) =>
  llm({ type: "done", message: answerOf([text(value)]), usage: { ...usage, fresh: tokens } });

const epochOf = (script: ReturnType<typeof play>) => script.state.committed.epoch;
const summaryOf = (script: ReturnType<typeof play>) => {
  const first = script.state.committed.messages[0];
  return first?.role === "context" ? first.text : "";
};

describe("a history near the limit", () => {
  const full = () => play().hears(starts("r1", { setup: small }), counts(2_000, long(2_000)));

  test("is summarised before the next call, which follows the summary", () => {
    const turn = full().hears(starts("r2", { setup: small }));
    turn.says("summary_started").wants("call_llm c/0/2/2 try 1");
    assert.equal(epochOf(turn), 0);
    assert.equal(turn.state.committed.messages.at(-1), instruction);
    turn.hears(answers("They spoke.")).says("summary They spoke.", "summary_completed");
    turn.wants("call_llm c/1/2/3 try 1");
    assert.equal(epochOf(turn), 1);
    assert.match(summaryOf(turn), /They spoke\./);
    turn.hears(answers("so")).wants("final");
  });

  test("shows nothing of the summary while it is written, nor of a try that breaks off", () => {
    const turn = full().hears(starts("r2", { setup: small }));
    turn
      .hears(llm({ type: "text_start", index: 0 }))
      .says()
      .wants("continue_llm");
    turn
      .hears(fails({ retryable: true }))
      .says()
      .wants("call_llm c/0/2/2 try 2");
  });

  test("carries out no call that comes instead of a summary", () => {
    const turn = full().hears(starts("r2", { setup: small }));
    for (let nth = 2; nth <= 4; nth++) turn.hears(calls("Edit")).wants(`call_llm c/0/2/2 try ${nth}`);
    turn.hears(calls("Edit")).wants("call_llm c/1/2/3 try 1");
    assert.match(summaryOf(turn), /No summary of it could be made/);
  });

  test("is left alone when shortening it would gain little: the fixed part fills it", () => {
    play()
      .hears(starts("r1", { setup: small }), counts(2_000, "short"), starts("r2", { setup: small }))
      .wants("call_llm c/0/2/2 try 1")
      .says();
  });

  test("is not summarised twice in a row", () => {
    const turn = full().hears(starts("r2", { setup: small }), answers(long(3_000)));
    turn.wants("call_llm c/1/2/3 try 1").says(`summary ${long(3_000).trim()}`, "summary_completed");
  });

  test("is measured anew after a summary, also where the provider counts nothing", () => {
    const turn = full().hears(starts("r2", { setup: small }), answers("They spoke."));
    turn.hears(llm({ type: "done", message: answerOf([text(long(400))]), usage: null })).wants("final");
    turn
      .hears(starts("r3", { setup: small }))
      .says()
      .wants("call_llm c/1/3/4 try 1");
  });

  test("goes on as it was when the user stops the summary", () => {
    const turn = full()
      .hears(starts("r2", { setup: small }), cancels)
      .wants("canceled enough");
    turn.hears(starts("r3", { setup }));
    assert.deepEqual(
      turn.state.committed.messages.slice(-2).map((message) => message.role === "context" && message.text),
      ["The summary is no longer wanted.", false],
    );
  });

  test("takes steering along that came while it was summarised", () => {
    const turn = full().hears(starts("r2", { setup: small }), injects("i1"), answers("They spoke."));
    assert.deepEqual(turn.state.committed.messages.at(-1), userSays("also i1"));
  });
});

describe("a provider that finds a request too long", () => {
  const talk = () => {
    const turn = play();
    for (const run of ["r1", "r2", "r3"]) turn.hears(starts(run), answers(long(500)));
    return turn.hears(starts("r4"));
  };

  test("gets the newer half, summarised, and one call more", () => {
    const turn = talk().hears(overflows).says("summary_started").wants("call_llm c/1/4/5 try 1");
    turn.hears(answers("They spoke.")).wants("call_llm c/2/4/6 try 1").hears(answers("so")).wants("final");
  });

  test("gets a summary without a model when even that is too long, and then no more", () => {
    const turn = talk().hears(overflows, overflows).wants("call_llm c/2/4/6 try 1");
    assert.match(summaryOf(turn), /<last_user_messages>/);
    turn.hears(overflows).wants(`failed ${contextOverflow}`);
  });

  test("is not asked again where nothing can be left out", () => {
    play().hears(starts("r1"), overflows).wants(`failed ${contextOverflow}`);
  });
});

test("open todos, files, the user's last words and the newest context are kept word for word", () => {
  const state: ConversationState = {
    ...emptyConversation("c"),
    run: { runId: "r", setup: small, calls: 1, usage },
    todos: [
      { id: "1", content: "test it", status: "in_progress" },
      { id: "2", content: "old", status: "completed" },
    ],
    messages: [
      { role: "context", text: "<rules>\nold rules\n</rules>" },
      { role: "context", text: "<rules>\nnew rules\n</rules>" },
      userSays("Please use\ntabs."),
      answerOf([call("a", "Edit")]),
      { role: "tool", toolCallId: "a", toolName: "Edit", text: "ok", isError: false },
      answerOf([text("Done.")]),
      instruction,
    ],
  };
  const { state: after, base } = shorten(state, "Short.", 0, tools);
  assert.deepEqual(base, { cause: "compaction", head: 2, from: 6, count: 0, isAnswer: true });
  const [summary, rules] = after.messages;
  assert.deepEqual(rules, { role: "context", text: "<rules>\nnew rules\n</rules>" });
  assert.equal(
    summary?.role === "context" && summary.text,
    [
      "<summary>",
      "Everything before this point was shortened to fit the context. This replaces it.",
      "",
      "Short.",
      "",
      "<last_user_messages>",
      "Please use",
      "tabs.",
      "</last_user_messages>",
      "",
      "<open_todos>",
      "1 (in_progress): test it",
      "</open_todos>",
      "",
      "<files>",
      "a.ts",
      "</files>",
      "</summary>",
    ].join("\n"),
  );
});

test("what an earlier summary kept is kept by the next one", () => {
  const first: ConversationState = {
    ...emptyConversation("c"),
    run: { runId: "r", setup: small, calls: 1, usage },
    messages: [userSays("Use tabs."), answerOf([call("a", "Edit")]), result("a"), answerOf([text("So.")])],
  };
  const once = shorten(first, "One.", 0, tools).state;
  const more = { ...once, messages: [...once.messages, answerOf([call("b", "Edit")]), result("b")] };
  const [summary] = shorten(more, "Two.", 0, tools).state.messages;
  const told = summary?.role === "context" ? summary.text : "";
  assert.match(told, /Two\./);
  assert.match(told, /<last_user_messages>\nUse tabs\.\n/);
  assert.match(told, /<files>\na\.ts\nb\.ts\n/);
});

test("there is one summary, however much is kept, and nothing that was about one moment", () => {
  const first: ConversationState = {
    ...emptyConversation("c"),
    run: { runId: "r", setup: small, calls: 1, usage },
    messages: [
      userSays("Use tabs."),
      { role: "context", text: "<cut_off>\nIt was cut off.\n</cut_off>" },
      answerOf([text("So.")]),
    ],
  };
  const once = shorten(first, "One.", 0, tools).state;
  assert.equal(once.messages.length, 1);
  const more = { ...once, messages: [...once.messages, userSays("More.")] };
  const twice = shorten(more, "Two.", 1_000_000, tools).state.messages;
  assert.deepEqual(twice.slice(1), [userSays("More.")]);
});

test("of the user's last words the newest come first, and whole while there is room", () => {
  const [older, newest] = ["older ".repeat(70), "newest ".repeat(70)];
  const state: ConversationState = {
    ...emptyConversation("c"),
    run: { runId: "r", setup: small, calls: 1, usage }, // room for 500 characters
    messages: [userSays(older), answerOf([text("So.")]), userSays(newest)],
  };
  const told = JSON.stringify(shorten(state, "Short.", 0, tools).state.messages);
  assert.ok(told.includes(newest) && !told.includes("older"));
});

function result(id: string): Message {
  return { role: "tool", toolCallId: id, toolName: "Edit", text: long(20), isError: false };
}

test("property: the newest part is kept as it was, no call is parted from its results, and it gets shorter", () => {
  const group = fc.oneof(
    fc.nat({ max: 300 }).map((words): Message[] => [userSays(long(words))]),
    fc.nat({ max: 300 }).map((words): Message[] => [answerOf([text(long(words))])]),
    fc.integer({ min: 1, max: 4 }).map((count): Message[] => {
      const ids = Array.from({ length: count }, (_, at) => `t${at}`);
      return [answerOf(ids.map((id) => call(id, "Look"))), ...ids.map(result)];
    }),
  );
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 12 }), fc.nat({ max: 1_500 }), (groups, tail) => {
      const messages = groups.flat();
      const state = { ...emptyConversation("c"), run: { runId: "r", setup, calls: 1, usage }, messages };
      const { state: after, base } = shorten(state, "Short.", tail, tools);
      assert.ok(base.cause === "compaction");
      const kept = after.messages.slice(base.head);
      assert.deepEqual(kept, messages.slice(base.from));
      assert.ok(tokensOf(kept) <= tail);
      assert.notEqual(kept[0]?.role, "tool");
      const called = kept.flatMap((message) => (message.role === "assistant" ? callsIn(message) : []));
      const answered = kept.filter(({ role }) => role === "tool");
      assert.equal(answered.length, called.length);
    }),
  );
});

const callsIn = ({ blocks }: AssistantMessage) => blocks.filter(({ type }) => type === "tool_call");
