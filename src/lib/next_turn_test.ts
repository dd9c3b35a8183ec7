import assert from "node:assert/strict";
import { createPause, inTurns, type Steps } from "./next_turn.ts";

function* spend(steps: number, advance: () => void): Steps<number> {
  for (let step = 0; step < steps; step++) {
    advance();
    yield;
  }
  return steps;
}

Deno.test("createPause() yields after 3 ms of work, repeatedly", async () => {
  let now = 1000;
  const pause = createPause(() => now);
  const gaveWay: boolean[] = [];
  for (const spent of [1, 1, 1, 1, 1, 1, 5, 0]) {
    now += spent;
    const waiting = pause();
    gaveWay.push(waiting !== undefined);
    await waiting;
  }
  assert.deepEqual(gaveWay, [false, false, true, false, false, true, true, false]);
});

Deno.test("inTurns() lets other work run between long steps", async () => {
  let now = 0;
  let others = 0;
  const timer = setInterval(() => others++, 0);
  const pause = createPause(() => now);
  assert.equal(await inTurns(spend(10, () => now += 3), pause), 10);
  clearInterval(timer);
  assert.ok(others > 0);
});
