import assert from "node:assert/strict";
import { ReplayedError, type ReplayKey, replayKey, ReplayStore } from "./replays.ts";
import { DenoStore } from "../../store/mod.ts";

const HOOK = "01900000-0000-7000-8000-000000000001";
const DEPLOYMENT = "01900000-0000-7000-8000-000000000002";

const keyOf = (key: string, body: unknown = { branch: "main" }): ReplayKey =>
  replayKey(HOOK, { key, body });

Deno.test("ReplayStore.keepWith() stores its entry only together with the deployment", async () => {
  const kv = await DenoStore.open(":memory:");
  try {
    const replays = new ReplayStore(kv, () => 1000);
    const taken = { key: ["deployment"], versionstamp: null };
    const commit = async () => {
      const operation = kv.atomic().check(taken).set(taken.key, DEPLOYMENT);
      await replays.keepWith(operation, keyOf("first"), DEPLOYMENT);
      return await operation.commit();
    };
    assert.equal(await replays.find(keyOf("first")), undefined);
    await kv.set(taken.key, "another");
    assert.equal((await commit()).ok, false);
    assert.equal(await replays.find(keyOf("first")), undefined);
    await kv.delete(taken.key);
    assert.equal((await commit()).ok, true);
    assert.equal(await replays.find(keyOf("first")), DEPLOYMENT);
    await assert.rejects(() => replays.find(keyOf("first", { branch: "x" })), /a different body/);
  } finally {
    kv.close();
  }
});

Deno.test("ReplayStore.keepWith() lets only one of two nodes use a key", async () => {
  using kv = await DenoStore.open(":memory:");
  const replays = new ReplayStore(kv, () => 1000);
  const [one, other] = [kv.atomic(), kv.atomic()];
  await replays.keepWith(one, keyOf("first"), DEPLOYMENT);
  await replays.keepWith(other, keyOf("first"), "another");
  assert.equal((await one.commit()).ok, true);
  assert.equal((await other.commit()).ok, false);
  const again = () => replays.keepWith(kv.atomic(), keyOf("first"), "another");
  await assert.rejects(again, ReplayedError);
  const afresh = kv.atomic();
  await replays.keepWith(afresh, { ...keyOf("first"), gone: DEPLOYMENT }, "another");
  assert.equal((await afresh.commit()).ok, true, "the deployment no longer exists");
});
