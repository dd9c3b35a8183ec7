import assert from "node:assert/strict";
import fc from "fast-check";
import { ClockRing, type RingEntry } from "./clock_ring.ts";

interface Named extends RingEntry<Named> {
  readonly name: number;
}

const named = (name: number): Named => ({
  name,
  used: false,
  previous: undefined,
  next: undefined,
});

/** Evicts the remaining entries, in order. */
function drain(ring: ClockRing<Named>): number[] {
  const names: number[] = [];
  for (let entry = ring.victim(); entry !== undefined; entry = ring.victim()) {
    names.push(entry.name);
    ring.remove(entry);
  }
  return names;
}

Deno.test("ClockRing evicts the oldest entry first, and gives used entries a second chance", () => {
  const ring = new ClockRing<Named>();
  const entries = [1, 2, 3, 4].map(named);
  for (const entry of entries) ring.add(entry);
  entries[0]!.used = entries[2]!.used = true;
  assert.equal(ring.size, 4);
  assert.deepEqual(drain(ring), [2, 4, 1, 3]);
  assert.equal(ring.size, 0);
});

Deno.test("ClockRing removes an entry once, and accepts it again", () => {
  const ring = new ClockRing<Named>();
  const [first, second] = [named(1), named(2)];
  ring.add(first);
  assert.equal(ring.remove(first), true);
  assert.equal(ring.remove(first), false);
  assert.equal(ring.victim(), undefined);
  ring.add(second);
  ring.add(first);
  assert.deepEqual(drain(ring), [2, 1]);
});

/** A simple version of the algorithm: a list with the hand before its first entry. */
class PlainClock {
  list: Named[] = [];

  evict(): number | undefined {
    for (;;) {
      const entry = this.list.shift();
      if (entry === undefined || !entry.used) return entry?.name;
      entry.used = false;
      this.list.push(entry);
    }
  }
}

Deno.test("ClockRing evicts like a list that moves used entries to its end", () => {
  const step = fc.oneof(
    fc.constant({ type: "add" as const }),
    fc.constant({ type: "evict" as const }),
    fc.record({ type: fc.constant("use" as const), at: fc.nat(50) }),
    fc.record({ type: fc.constant("remove" as const), at: fc.nat(50) }),
  );
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const ring = new ClockRing<Named>();
    const plain = new PlainClock();
    const all: [Named, Named][] = [];
    for (const step of steps) {
      if (step.type === "add") {
        const pair: [Named, Named] = [named(all.length), named(all.length)];
        all.push(pair);
        ring.add(pair[0]);
        plain.list.push(pair[1]);
      } else if (step.type === "evict") {
        const entry = ring.victim();
        if (entry !== undefined) ring.remove(entry);
        assert.equal(entry?.name, plain.evict());
      } else if (all[step.at] !== undefined) {
        const [linked, listed] = all[step.at]!;
        if (step.type === "use") linked.used = listed.used = true;
        else {
          assert.equal(ring.remove(linked), plain.list.includes(listed));
          plain.list = plain.list.filter((entry) => entry !== listed);
        }
      }
      assert.equal(ring.size, plain.list.length);
    }
  }));
});
