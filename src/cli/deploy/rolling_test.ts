import assert from "node:assert/strict";
import { rollingOf, rollingSteps, stepTime } from "./rolling.ts";

Deno.test("rollingSteps() accepts increasing shares that end with 100", () => {
  assert.deepEqual(rollingSteps("5,25,100"), [5, 25, 100]);
  for (const wrong of ["", "5,25", "25,5,100", "0,100", "5,5,100", "100,101", "5;100", "x"]) {
    assert.throws(() => rollingSteps(wrong), /increasing percentages/, wrong);
  }
});

Deno.test("stepTime() accepts durations from a second to a week", () => {
  assert.deepEqual(["5s", "10m", "2h", "7d"].map(stepTime), [5, 600, 7200, 604_800]);
  for (const wrong of ["0s", "8d", "10", "1w", "-1s", ""]) {
    assert.throws(() => stepTime(wrong), /from 1s to 7d/, wrong);
  }
});

Deno.test("rollingOf() combines the flags into one request", () => {
  assert.equal(rollingOf({}), undefined);
  assert.deepEqual(rollingOf({ share: 10 }), { steps: [10], everySeconds: null });
  assert.deepEqual(rollingOf({ rolling: [5, 100] }), { steps: [5, 100], everySeconds: 600 });
  assert.throws(() => rollingOf({ share: 10, every: 5 }), /Use either --share or --rolling/);
  assert.throws(() => rollingOf({ every: 5 }), /add --rolling/);
});
