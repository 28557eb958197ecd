import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Delivery } from "../../../src-main/transport/run/delivery.ts";

const bytes = (name: string | number): Buffer => Buffer.from(String(name));

/** What an attempt that comes back is sent; `|` is the boundary. */
function again(delivery: Delivery): string {
  const { before, doubtful } = delivery.again();
  return [...before, ...(doubtful.length > 0 ? ["|"] : []), ...doubtful].map(String).join("");
}

test("an answered mark proves what was shown before it, and nothing after", () => {
  const delivery = new Delivery();
  delivery.shown(bytes("a"), "other", 0);
  delivery.shown(bytes("b"), "other", 0);
  delivery.marked(1, null);
  delivery.shown(bytes("c"), "other", 0);
  assert.deepEqual(delivery.answered(1), { commitId: null });
  assert.equal(again(delivery), "c");
});

test("a later mark proves more than an earlier one, whichever is answered first", () => {
  const delivery = new Delivery();
  delivery.shown(bytes("a"), "other", 0);
  delivery.marked(1, Buffer.from("one"));
  delivery.shown(bytes("b"), "other", 0);
  delivery.marked(2, Buffer.from("two"));
  delivery.shown(bytes("c"), "other", 0);
  assert.deepEqual(delivery.answered(2), { commitId: Buffer.from("two") });
  assert.equal(again(delivery), "c");
  assert.deepEqual(delivery.answered(1), { commitId: Buffer.from("one") });
  assert.equal(again(delivery), "c");
});

test("answers to other questions, and to marks of an attempt that is over, prove nothing", () => {
  const delivery = new Delivery();
  delivery.shown(bytes("a"), "other", 0);
  delivery.marked(1, null);
  assert.equal(delivery.answered(7), null);
  delivery.forgetMarks();
  assert.equal(delivery.answered(1), null);
  assert.equal(again(delivery), "a");
});

test("text in doubt is said again from the beginning of its answer, behind a boundary", () => {
  const delivery = new Delivery();
  delivery.answerBegins();
  delivery.shown(bytes("one "), "text", 0);
  delivery.marked(1, null);
  delivery.answerBegins();
  delivery.shown(bytes("two "), "text", 0);
  delivery.marked(2, null);
  delivery.shown(bytes("three "), "text", 0);
  delivery.answered(1);
  delivery.answered(2);
  assert.equal(again(delivery), "|two three ");
  delivery.shown(bytes("<card>"), "other", 0);
  assert.equal(again(delivery), "|two three <card>");
});

test("of what has arrived only the text is said again: thinking and cards are not", () => {
  const delivery = new Delivery();
  delivery.answerBegins();
  delivery.shown(bytes("<thinking>"), "other", 0);
  delivery.shown(bytes("one "), "text", 0);
  delivery.marked(1, null);
  delivery.answered(1);
  delivery.shown(bytes("two"), "text", 0);
  assert.equal(again(delivery), "|one two");
});

test("text that is proven is not said again, whatever else is in doubt", () => {
  const delivery = new Delivery();
  delivery.answerBegins();
  delivery.shown(bytes("one"), "text", 0);
  delivery.marked(1, null);
  delivery.shown(bytes("<card>"), "other", 0);
  delivery.answered(1);
  assert.equal(again(delivery), "<card>");
});

test("text that was written when the connection broke went nowhere, and just follows", () => {
  const delivery = new Delivery();
  delivery.answerBegins();
  delivery.shown(bytes("one "), "text", 0);
  delivery.marked(1, null);
  delivery.answered(1);
  delivery.shown(bytes("two "), "text", 1_000);
  delivery.lost(1_010);
  assert.equal(again(delivery), "two ");
  delivery.lost(2_000);
  assert.equal(again(delivery), "|one two ");
});

test("what stood before the text in doubt stays in front of it", () => {
  const delivery = new Delivery();
  delivery.answerBegins();
  delivery.shown(bytes("one"), "text", 0);
  delivery.marked(1, null);
  delivery.answered(1);
  delivery.shown(bytes("<card>"), "other", 0);
  delivery.answerBegins();
  delivery.shown(bytes("two"), "text", 0);
  assert.equal(again(delivery), "<card>|two");
});

interface Sent {
  readonly name: string;
  readonly type: "text" | "card" | "answer";
}

/** Plays the steps and returns what was shown, how much of it is proven, and the delivery itself. */
function deliver(steps: readonly (string | number)[]) {
  const delivery = new Delivery();
  const sent: Sent[] = [];
  const positions: number[] = [];
  let proven = 0;
  const kinds: Readonly<Record<string, (at: number) => void>> = {
    mark: () => delivery.marked(positions.push(sent.length) - 1, null),
    answer: () => {
      sent.push({ name: "", type: "answer" });
      delivery.answerBegins();
    },
    text: (at) => {
      sent.push({ name: `t${at} `, type: "text" });
      delivery.shown(bytes(`t${at} `), "text", 0);
    },
    card: (at) => {
      sent.push({ name: `c${at} `, type: "card" });
      delivery.shown(bytes(`c${at} `), "other", 0);
    },
  };
  for (const [at, step] of steps.entries())
    if (typeof step === "string") kinds[step]?.(at);
    else if (delivery.answered(step)) proven = Math.max(proven, positions[step] ?? 0);
  return { delivery, sent, proven };
}

/** The rule in one place: cards come once, and text in doubt is the whole answer it is of. */
function expected(sent: readonly Sent[], proven: number): string {
  const names = (list: readonly Sent[]) => list.map(({ name }) => name).join("");
  const open = sent.slice(proven);
  const first = open.findIndex(({ type }) => type === "text");
  if (first < 0) return names(open);
  const begin = sent.slice(0, proven + first).findLastIndex(({ type }) => type === "answer") + 1;
  const text = sent.slice(begin, proven).filter(({ type }) => type === "text");
  return `${names(open.slice(0, first))}|${names(text)}${names(open.slice(first))}`;
}

test("property: cards come once, and text in doubt is the whole answer it is of", () => {
  const step = fc.oneof(fc.constantFrom("text", "card", "answer", "mark"), fc.nat({ max: 20 }));
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const { delivery, sent, proven } = deliver(steps);
      assert.equal(again(delivery), expected(sent, proven));
    }),
  );
});
