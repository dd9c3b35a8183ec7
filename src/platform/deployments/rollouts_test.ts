import assert from "node:assert/strict";
import { Rollouts } from "./rollouts.ts";

Deno.test("Rollouts.settled() waits for the changes of its project, regardless of their outcome", async () => {
  const rollouts = new Rollouts();
  await rollouts.settled("shop");
  const [shown, failing] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const change = rollouts.run("shop", () => shown.promise);
  const failed = rollouts.run("shop", () => failing.promise);
  const told: string[] = [];
  const settled = rollouts.settled("shop").then(() => told.push("settled"));
  await rollouts.settled("blog");
  shown.resolve("live");
  assert.equal(await change, "live");
  assert.deepEqual(told, [], "one change is still in progress");
  failing.reject(new Error("gone"));
  await assert.rejects(failed, /gone/);
  await settled;
  await rollouts.settled("shop");
});
