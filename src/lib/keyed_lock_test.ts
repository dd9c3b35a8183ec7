import assert from "node:assert/strict";
import { KeyedLock } from "./keyed_lock.ts";

Deno.test("KeyedLock.run() keeps the order of a key, whatever fails, and lets others pass", async () => {
  const lock = new KeyedLock();
  const done: string[] = [];
  const gate = Promise.withResolvers<void>();
  const first = lock.run("a", async () => {
    await gate.promise;
    done.push("a1");
    throw new Error("a1 failed");
  });
  const second = lock.run("a", () => Promise.resolve(done.push("a2")));
  await lock.run("b", () => Promise.resolve(done.push("b1")));
  assert.deepEqual(done, ["b1"]);
  gate.resolve();
  await assert.rejects(first, /a1 failed/);
  await second;
  assert.deepEqual(done, ["b1", "a1", "a2"]);
  assert.equal(lock.size, 0);
});
