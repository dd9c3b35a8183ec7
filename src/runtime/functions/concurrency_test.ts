import assert from "node:assert/strict";
import { ConcurrencyGate, type Release } from "./concurrency.ts";
import { backoffMs, MAX_BACKOFF_MS } from "./limits.ts";

Deno.test("ConcurrencyGate lets in, queues in order, and refuses", async () => {
  const gate = new ConcurrencyGate({ maxConcurrent: 1, maxQueued: 2 });
  const order: string[] = [];
  const first = gate.enter() as Release;
  const enter = async (name: string): Promise<Release> => {
    const release = await (gate.enter() as Promise<Release>);
    order.push(name);
    return release;
  };
  const [second, third] = [enter("second"), enter("third")];
  assert.equal(gate.enter(), undefined);
  first();
  first();
  (await second)();
  (await third)();
  assert.deepEqual(order, ["second", "third"]);
  assert.equal(gate.running, 0);
  assert.equal(typeof gate.enter(), "function");
});

Deno.test("backoffMs() lets the first failure pass, then doubles up to its limit", () => {
  assert.deepEqual([0, 1, 2, 3, 4].map(backoffMs), [0, 0, 100, 200, 400]);
  assert.equal(backoffMs(50), MAX_BACKOFF_MS);
});
