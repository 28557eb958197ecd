import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Delivery } from "../../../src-main/transport/run/delivery.ts";

const envelope = (name: string | number): Buffer => Buffer.from(String(name));
const names = (delivery: Delivery): string[] => delivery.unproven.map(String);

test("an answered mark proves what was shown before it, and nothing after", () => {
  const delivery = new Delivery();
  delivery.shown(envelope("a"));
  delivery.shown(envelope("b"));
  delivery.marked(1, null);
  delivery.shown(envelope("c"));
  assert.deepEqual(delivery.answered(1), { commitId: null });
  assert.deepEqual(names(delivery), ["c"]);
});

test("a later mark proves more than an earlier one, whichever is answered first", () => {
  const delivery = new Delivery();
  delivery.shown(envelope("a"));
  delivery.marked(1, Buffer.from("one"));
  delivery.shown(envelope("b"));
  delivery.marked(2, Buffer.from("two"));
  delivery.shown(envelope("c"));
  assert.deepEqual(delivery.answered(2), { commitId: Buffer.from("two") });
  assert.deepEqual(names(delivery), ["c"]);
  assert.deepEqual(delivery.answered(1), { commitId: Buffer.from("one") });
  assert.deepEqual(names(delivery), ["c"]);
});

test("answers to other questions, and to marks of an attempt that is over, prove nothing", () => {
  const delivery = new Delivery();
  delivery.shown(envelope("a"));
  delivery.marked(1, null);
  assert.equal(delivery.answered(7), null);
  delivery.forgetMarks();
  assert.equal(delivery.answered(1), null);
  assert.deepEqual(names(delivery), ["a"]);
});

test("property: proven and unproven are always the whole, in order", () => {
  const steps = fc.array(fc.oneof(fc.constant("show"), fc.constant("mark"), fc.nat({ max: 20 })));
  fc.assert(
    fc.property(steps, (all) => {
      const delivery = new Delivery();
      const positions = new Map<number, number>();
      let shown = 0;
      let marks = 0;
      let proven = 0;
      for (const step of all) {
        if (step === "show") delivery.shown(envelope(shown++));
        else if (step === "mark") {
          positions.set(marks, shown);
          delivery.marked(marks++, null);
        } else if (typeof step === "number" && delivery.answered(step))
          proven = Math.max(proven, positions.get(step) ?? 0);
        const rest = Array.from({ length: shown - proven }, (_, at) => String(proven + at));
        assert.deepEqual(names(delivery), rest);
      }
    }),
  );
});
