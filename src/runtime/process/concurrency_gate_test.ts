import assert from "node:assert/strict";
import { ConcurrencyGate, type Release } from "./concurrency_gate.ts";

Deno.test("ConcurrencyGate queues in order and refuses if the queue is full", async () => {
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
