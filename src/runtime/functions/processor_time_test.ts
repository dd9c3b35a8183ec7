import assert from "node:assert/strict";
import { ProcessorTime } from "./processor_time.ts";

/** Creates a thread whose times are set by the test. */
function thread() {
  const time = { spent: 0, now: 0, reads: 0 };
  const processor = new ProcessorTime({
    read: () => {
      time.reads++;
      return time.spent;
    },
    now: () => time.now,
  });
  const pass = (now: number, spent: number): void => {
    time.now += now;
    time.spent += spent;
  };
  return { time, processor, pass };
}

Deno.test("a single call is charged for all of its thread's time, from its start", () => {
  const { processor, pass } = thread();
  processor.look();
  processor.began(2);
  pass(50, 48);
  processor.look();
  assert.equal(processor.spentMs(2), 48);
  pass(30, 29);
  assert.equal(processor.ended(2), 77);
});

Deno.test("a waiting call is charged nothing, regardless of how long it waits", () => {
  const { processor, pass } = thread();
  processor.look();
  processor.began(2);
  for (let turn = 0; turn < 100; turn++) {
    pass(50, 0);
    processor.look();
  }
  assert.equal(processor.ended(2), 0);
  assert.equal(processor.silentMs, 0);
});

Deno.test("concurrent calls share the time between two readings", () => {
  const { processor, pass } = thread();
  processor.look();
  processor.began(2);
  processor.began(4);
  pass(50, 20);
  processor.look();
  pass(50, 40);
  processor.look();
  assert.deepEqual([processor.spentMs(2), processor.spentMs(4)], [40, 20]);
});

Deno.test("a call is not charged for the time of earlier calls", () => {
  const { processor, pass } = thread();
  processor.look();
  processor.began(2);
  pass(10, 10);
  processor.ended(2);
  processor.began(4);
  pass(60, 60);
  processor.look();
  assert.equal(processor.spentMs(4), 0, "the call is charged from the first reading on");
  pass(60, 60);
  assert.equal(processor.ended(4), 60);
});

Deno.test("a thread counts as looping if it uses CPU time and sends nothing", () => {
  const { processor, pass } = thread();
  processor.look();
  processor.began(2);
  pass(50, 50);
  processor.look();
  pass(50, 50);
  processor.look();
  assert.equal(processor.silentMs, 100);
  processor.heard();
  assert.equal(processor.silentMs, 0);
});

Deno.test("the time of short calls and idle workers is not read repeatedly", () => {
  const { time, processor, pass } = thread();
  for (let id = 2; id < 200; id += 2) {
    processor.began(id);
    pass(1, 1);
    processor.ended(id);
  }
  assert.equal(time.reads, 0);
  processor.look();
  processor.look();
  assert.equal(time.reads, 1);
});

Deno.test("nothing is charged if the system reports no times", () => {
  const processor = new ProcessorTime({ read: () => undefined, now: () => 1e6 });
  processor.began(2);
  processor.look();
  assert.equal(processor.ended(2), 0);
});
