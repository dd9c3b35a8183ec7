import assert from "node:assert/strict";
import { KeyedLock } from "./keyed_lock.ts";

Deno.test("KeyedLock.run() keeps the order within a key, and does not block other keys", async () => {
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

Deno.test("KeyedLock.runAll() waits for all its keys, and keys in different orders cause no deadlock", async () => {
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

Deno.test("KeyedLock.runAll() lets callers share a key, but runs them in order with exclusive holders", async () => {
  const lock = new KeyedLock();
  const log: string[] = [];
  const gates = new Map<string, () => void>();
  const work = (name: string) => () => {
    log.push(name);
    return new Promise<void>((resolve) => gates.set(name, resolve));
  };
  const share = (name: string) => lock.runAll([], work(name), ["k"]);
  const all = [share("s1"), share("s2"), lock.run("k", work("alone")), share("s3"), share("s4")];
  const settle = () => new Promise((resolve) => setTimeout(resolve));
  await settle();
  assert.deepEqual(log, ["s1", "s2"]);
  assert.equal(lock.longest(["k", "another"]), 5);
  gates.get("s1")!();
  await settle();
  assert.deepEqual(log, ["s1", "s2"]);
  gates.get("s2")!();
  await settle();
  assert.deepEqual(log, ["s1", "s2", "alone"]);
  gates.get("alone")!();
  await settle();
  assert.deepEqual(log, ["s1", "s2", "alone", "s3", "s4"]);
  for (const name of ["s3", "s4"]) gates.get(name)!();
  await Promise.all(all);
  assert.equal(lock.size, 0);
});
