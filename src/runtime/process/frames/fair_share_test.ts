import assert from "node:assert/strict";
import { FairShare } from "./fair_share.ts";

function openShare() {
  let now = 1000;
  const share = new FairShare(() => now);
  return {
    pass: (milliseconds: number) => now += milliseconds,
    work: (milliseconds: number): number => {
      share.begin();
      now += milliseconds;
      return share.book();
    },
  };
}

Deno.test("FairShare allows work in short bursts", () => {
  const { pass, work } = openShare();
  for (let turn = 0; turn < 100; turn++) {
    assert.equal(work(5), 0);
    pass(10);
  }
});

Deno.test("FairShare gives a third of the time to a peer that never stops", () => {
  const { pass, work } = openShare();
  let [worked, passed] = [0, 0];
  while (passed < 10_000) {
    const pause = work(1);
    worked += 1;
    passed += 1 + pause;
    pass(pause);
    assert.ok(pause === 0 || pause > 20, "pauses are long enough for a timer");
  }
  assert.ok(Math.abs(worked / passed - 1 / 3) < 0.01, String(worked / passed));
});

Deno.test("FairShare requires only one pause after a long piece of work", () => {
  const { pass, work } = openShare();
  assert.equal(work(100), 200);
  pass(200);
  assert.equal(work(1), 0);
});
