import assert from "node:assert/strict";
import { type ReplayKey, replayKey, ReplayStore } from "./replays.ts";

const HOOK = "01900000-0000-7000-8000-000000000001";
const DEPLOYMENT = "01900000-0000-7000-8000-000000000002";

const keyOf = (key: string, body: unknown = { branch: "main" }): ReplayKey =>
  replayKey(HOOK, { key, body });

Deno.test("ReplayStore.keepWith() is kept with the deployment, and not without it", async () => {
  const kv = await Deno.openKv(":memory:");
  try {
    const replays = new ReplayStore(kv, () => 1000);
    const taken = { key: ["deployment"], versionstamp: null };
    const commit = () => {
      const operation = kv.atomic().check(taken).set(taken.key, DEPLOYMENT);
      replays.keepWith(operation, keyOf("first"), DEPLOYMENT);
      return operation.commit();
    };
    assert.equal(await replays.find(keyOf("first")), undefined);
    await kv.set(taken.key, "another");
    assert.equal((await commit()).ok, false);
    assert.equal(await replays.find(keyOf("first")), undefined);
    await kv.delete(taken.key);
    assert.equal((await commit()).ok, true);
    assert.equal(await replays.find(keyOf("first")), DEPLOYMENT);
    await assert.rejects(() => replays.find(keyOf("first", { branch: "x" })), /another body/);
  } finally {
    kv.close();
  }
});
