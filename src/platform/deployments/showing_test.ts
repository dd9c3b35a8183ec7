import assert from "node:assert/strict";
import { Showing } from "./showing.ts";

Deno.test("Showing.settled() waits for the changes of its project, whatever becomes of them", async () => {
  const showing = new Showing();
  await showing.settled("shop");
  const [shown, failing] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const change = showing.run("shop", () => shown.promise);
  const failed = showing.run("shop", () => failing.promise);
  const told: string[] = [];
  const settled = showing.settled("shop").then(() => told.push("settled"));
  await showing.settled("blog");
  shown.resolve("live");
  assert.equal(await change, "live");
  assert.deepEqual(told, [], "one is still under way");
  failing.reject(new Error("gone"));
  await assert.rejects(failed, /gone/);
  await settled;
  await showing.settled("shop");
});
