import assert from "node:assert/strict";
import { Failure } from "../http/failure.ts";
import { replayKey, ReplayStore } from "./replays.ts";

const HOUR = 60 * 60 * 1000;
const body = { commitSha: "a".repeat(40), branch: "main", force: false };

Deno.test("replayKey() reads the header, or says what is wrong with it", () => {
  assert.equal(replayKey("h", { header: null, body }), undefined);
  assert.ok(replayKey("h", { header: "release-1", body }));
  for (const header of ["", "with space", "ünicode", "x".repeat(256)]) {
    assert.throws(() => replayKey("h", { header, body }), Failure, header);
  }
});

Deno.test("ReplayStore answers for 24 hours, to the same body and hook only", async () => {
  const kv = await Deno.openKv(":memory:");
  try {
    let now = Date.now();
    const replays = new ReplayStore(kv, () => now);
    const key = replayKey("h", { header: "k", body })!;
    assert.equal(await replays.find(key), undefined);
    await replays.keep(key, "d1");
    assert.equal(await replays.find(key), "d1");
    assert.equal(await replays.find(replayKey("other", { header: "k", body })!), undefined);
    const changed = replayKey("h", { header: "k", body: { ...body, force: true } })!;
    await assert.rejects(replays.find(changed), { code: "conflict" });
    now += 24 * HOUR - 1;
    assert.equal(await replays.find(key), "d1");
    now += 1;
    assert.equal(await replays.find(key), undefined);
    assert.equal(await replays.find(changed), undefined, "the key is free again");
    const stored = JSON.stringify(await Array.fromAsync(kv.list({ prefix: [] })));
    assert.ok(!stored.includes("main"), "nothing of a body is stored");
  } finally {
    kv.close();
  }
});
