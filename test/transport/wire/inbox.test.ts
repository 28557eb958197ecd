import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Inbox } from "../../../src-main/transport/wire/inbox.ts";

const mebibyte = 1024 * 1024;

test("property: whatever the order and the repeats, each message is delivered once, in order", () => {
  const arrivals = fc
    .integer({ min: 1, max: 60 })
    .chain((count) =>
      fc.tuple(
        fc.shuffledSubarray([...Array(count).keys()], { minLength: count }),
        fc.array(fc.nat({ max: count - 1 })),
      ),
    );
  fc.assert(
    fc.property(arrivals, ([order, repeats]) => {
      const delivered: number[] = [];
      const inbox = new Inbox<number>((item) => delivered.push(item));
      for (const seqno of [...order, ...repeats]) inbox.push(seqno, seqno, 1);
      assert.deepEqual(
        delivered,
        order.toSorted((a, b) => a - b),
      );
    }),
  );
});

test("property: nothing overtakes a message that has not come", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.nat({ max: 40 })), (seqnos) => {
      const delivered: number[] = [];
      const inbox = new Inbox<number>((item) => delivered.push(item));
      for (const seqno of seqnos) inbox.push(seqno, seqno, 1);
      const missing = [...Array(42).keys()].findIndex((seqno) => !seqnos.includes(seqno));
      assert.deepEqual(delivered, [...Array(missing).keys()]);
    }),
  );
});

test("a message that comes while another is delivered waits for it", () => {
  const delivered: string[] = [];
  const inbox = new Inbox<string>((item) => {
    if (item === "a") inbox.push(1, "b", 1);
    delivered.push(item);
  });
  inbox.push(0, "a", 1);
  assert.deepEqual(delivered.sort(), ["a", "b"]);
});

test("what waits is bounded in number and in bytes; the one that is due always passes", () => {
  const many = new Inbox<number>(() => {});
  for (let seqno = 1; seqno <= 256; seqno++) many.push(seqno, seqno, 0);
  assert.throws(() => many.push(257, 257, 0), /Too much arrived before message 0/);
  many.push(3, 3, 0); // a repeat costs nothing

  const delivered: number[] = [];
  const large = new Inbox<number>((item) => delivered.push(item));
  large.push(1, 1, 64 * mebibyte);
  assert.throws(() => large.push(2, 2, 1), /Too much arrived/);
  large.push(0, 0, 100 * mebibyte);
  assert.deepEqual(delivered, [0, 1]);
  large.push(3, 3, 64 * mebibyte); // what was delivered waits no longer

  const repeated = new Inbox<number>(() => {});
  for (let nth = 0; nth < 300; nth++) repeated.push(0, 0, mebibyte);
  repeated.push(2, 2, 64 * mebibyte); // nor does what comes again
});
