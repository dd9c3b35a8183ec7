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

Deno.test("KeyedLock.runAll() waits for each of its keys, and callers of crossed keys both get on", async () => {
  const lock = new KeyedLock();
  const done: string[] = [];
  const work = (name: string) => () => Promise.resolve(done.push(name));
  await Promise.all([
    lock.runAll(["a", "b"], work("ab")),
    lock.runAll(["b", "a"], work("ba")),
    lock.run("b", work("b")),
    lock.runAll([], work("none")),
  ]);
  assert.deepEqual(done.filter((name) => name !== "none"), ["ab", "ba", "b"]);
  assert.equal(done.length, 4);
  assert.equal(lock.size, 0);
});
