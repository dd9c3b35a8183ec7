import assert from "node:assert/strict";
import { startRounds } from "./rounds.ts";

Deno.test("startRounds() continues after a failed round, and never runs two at the same time", async () => {
  const errors: unknown[] = [];
  const third = Promise.withResolvers<void>();
  let [started, running, most] = [0, 0, 0];
  const rounds = startRounds({
    firstMs: 0,
    everyMs: 1,
    async run() {
      started++;
      most = Math.max(most, ++running);
      if (started === 3) third.resolve();
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      if (started === 1) throw new Error("the first");
    },
    onError: (error) => errors.push(error),
  });
  await third.promise;
  await rounds.close();
  assert.equal(most, 1);
  assert.equal(running, 0, "close() waits for the current round");
  assert.equal(errors.length, 1);
});

Deno.test("startRounds() runs nothing if it is closed before its first round", async () => {
  const rounds = startRounds({
    firstMs: 60_000,
    everyMs: 1,
    run: () => Promise.reject(new Error("must not run")),
    onError: (error) => assert.fail(String(error)),
  });
  await rounds.close();
});

Deno.test("startRounds() aborts the signal of the current round when it is closed", async () => {
  const aborted = Promise.withResolvers<boolean>();
  const begun = Promise.withResolvers<void>();
  const rounds = startRounds({
    firstMs: 0,
    everyMs: 60_000,
    run(signal) {
      begun.resolve();
      return new Promise((resolve) => {
        signal.addEventListener("abort", () => {
          aborted.resolve(signal.aborted);
          resolve();
        });
      });
    },
    onError: (error) => assert.fail(String(error)),
  });
  await begun.promise;
  await rounds.close();
  assert.equal(await aborted.promise, true);
});
