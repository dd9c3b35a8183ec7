import assert from "node:assert/strict";
import { ConcurrencyGate, type Release } from "./concurrency_gate.ts";

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

Deno.test("ConcurrencyGate counts the places of others, and passes on what they give back", async () => {
  const shown: number[] = [];
  const share = {
    others: 1,
    isWaiting: false,
    show: (running: number) => void shown.push(running),
    wait(isWaiting: boolean) {
      this.isWaiting = isWaiting;
    },
  };
  const gate = new ConcurrencyGate({ maxConcurrent: 2, maxQueued: 1 }, share);
  const first = gate.enter() as Release;
  const second = gate.enter() as Promise<Release>;
  assert.deepEqual([share.isWaiting, gate.enter()], [true, undefined]);
  share.others = 0;
  gate.pump();
  const release = await second;
  assert.equal(share.isWaiting, false);
  first();
  release();
  assert.deepEqual([gate.running, shown.at(-1)], [0, 0]);
});

Deno.test("ConcurrencyGate sees a place that came free while it announced who waits", async () => {
  const share = {
    others: 1,
    show: () => {},
    wait(isWaiting: boolean) {
      if (isWaiting) this.others = 0;
    },
  };
  const gate = new ConcurrencyGate({ maxConcurrent: 1, maxQueued: 1 }, share);
  (await (gate.enter() as Promise<Release>))();
  assert.equal(gate.running, 0);
});
