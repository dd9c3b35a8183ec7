import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../lib/_test_until.ts";
import { minutesOf } from "./minutes.ts";

Deno.test("minutesOf() calls back at the start of each minute until it is stopped", async () => {
  const start = Date.parse("2026-11-22T10:00:59.990Z");
  let [now, acted] = [start, 0];
  const stop = minutesOf(() => now).each(() => {
    acted++;
    now += 60_000;
  });
  assert.equal(acted, 0);
  await until(() => acted >= 2);
  stop();
  const last = acted;
  await delay(50);
  assert.deepEqual([acted, now], [last, start + last * 60_000]);
});
