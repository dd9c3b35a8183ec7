import assert from "node:assert/strict";
import { CheckCounter, withTwoProcesses } from "../../core/store/_test_checks.ts";
import { countOf, request, SENT, testChannel, withQueue } from "./_test_delivery.ts";

Deno.test("DeliveryStore needs at most 10 checks per commit, the limit of remote stores", () => {
  const channel = testChannel(() => SENT, { digests: true });
  return withQueue([channel], async ({ kv, restart }) => {
    const counting = new CheckCounter(kv);
    const requests = Array.from(
      { length: 40 },
      (_, n) => request(`r${n}`, { priority: n % 2 === 0 ? "LOW" : "CRITICAL" }),
    );
    await restart(counting).accept(requests);
    assert.equal(await countOf(kv, ["delivery", "seen"]), 40);
    assert.ok(counting.most <= 10, `${counting.most} checks`);
  });
});

Deno.test("DeliveryStore accepts a request only once, regardless of other processes", () => {
  const channel = testChannel(() => SENT, { digests: true });
  return withTwoProcesses((one, other) =>
    withQueue([channel], async ({ clock, restart }) => {
      const queues = [restart(one), restart(other)];
      for (let round = 0; round < 10; round++) {
        const requests = Array.from({ length: 5 }, (_, n) =>
          request(`${round} ${n}`, { priority: n % 2 === 0 ? "LOW" : "CRITICAL" }));
        await Promise.all(queues.map((queue) =>
          queue.accept(requests)
        ));
      }
      for (let digests = 0; digests < 2; digests++) {
        await queues[0]!.drain();
        clock.at += 24 * 60 * 60 * 1000;
      }
      const ids = channel.sent.flatMap(({ contents }) => contents.map(({ id }) => id));
      assert.equal(ids.length, 50);
      assert.equal(new Set(ids).size, 50);
    })
  );
});
