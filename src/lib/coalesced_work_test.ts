import assert from "node:assert/strict";
import { CoalescedWork } from "./coalesced_work.ts";

Deno.test("CoalescedWork runs once for all requests in a turn, and once more for requests during a run", async () => {
  let runs = 0;
  const release = Promise.withResolvers<void>();
  const work = new CoalescedWork(async () => {
    runs++;
    await release.promise;
  });
  const requests = [work.request(), work.request()];
  await Promise.resolve();
  assert.equal(runs, 1);
  requests.push(work.request(), work.request());
  release.resolve();
  await Promise.all(requests);
  assert.equal(runs, 2);
  await work.settled();
});

Deno.test("CoalescedWork loses no request, regardless of when it arrives", async () => {
  for (let ticks = 0; ticks < 30; ticks++) {
    let isFresh = false;
    const work = new CoalescedWork(async () => {
      isFresh = true;
      await Promise.resolve();
    });
    const first = work.request();
    for (let tick = 0; tick < ticks; tick++) await Promise.resolve();
    isFresh = false;
    const second = work.request();
    await Promise.all([first, second]);
    assert.equal(isFresh, true, `after ${ticks} ticks`);
  }
});

Deno.test("CoalescedWork continues after a run that failed", async () => {
  let runs = 0;
  const work = new CoalescedWork(() => {
    runs++;
    return runs === 1 ? Promise.reject(new Error("first")) : Promise.resolve();
  });
  await assert.rejects(work.request(), /first/);
  await work.request();
  assert.equal(runs, 2);
});
