import assert from "node:assert/strict";
import { KnownHeads, type StoredHead } from "./known_heads.ts";

const head = (version: string): StoredHead => ({
  versionstamp: version,
  stored: { size: 0, contentType: "text/plain", inline: new Uint8Array() },
});

Deno.test("KnownHeads shares a read between callers, and then does not read again", async () => {
  const heads = new KnownHeads();
  const loading = Promise.withResolvers<StoredHead>();
  const load = () => loading.promise;
  const never = () => assert.fail("the head is known, or being read");
  const both = Promise.all([heads.read("a", load), heads.read("a", never)]);
  loading.resolve(head("1"));
  assert.deepEqual((await both).map(({ versionstamp }) => versionstamp), ["1", "1"]);
  assert.equal((await heads.read("a", never)).versionstamp, "1");
});

for (const change of ["note", "forget", "clear"] as const) {
  Deno.test(`KnownHeads keeps nothing from a read that started before ${change}()`, async () => {
    const heads = new KnownHeads();
    const loading = Promise.withResolvers<StoredHead>();
    const early = heads.read("a", () => loading.promise);
    if (change === "note") heads.note("a", head("2"));
    else if (change === "forget") heads.forget("a");
    else heads.clear();
    const later = heads.read("a", () => Promise.resolve(head("2")));
    loading.resolve(head("1"));
    assert.equal((await early).versionstamp, "1");
    assert.equal((await later).versionstamp, "2");
    assert.equal((await heads.read("a", () => assert.fail("known"))).versionstamp, "2");
  });
}

Deno.test("KnownHeads reads again after a failed read", async () => {
  const heads = new KnownHeads();
  const failing = () => Promise.reject(new Error("the disk is gone"));
  await assert.rejects(async () => await heads.read("a", failing), /disk is gone/);
  assert.equal((await heads.read("a", () => Promise.resolve(head("1")))).versionstamp, "1");
});
