import assert from "node:assert/strict";
import { DenoStore } from "../../../store/mod.ts";
import { Claims } from "./claims.ts";

const claimsOf = (instance: string, alive: ReadonlySet<string>) =>
  new Claims({ instance, isAlive: (other) => Promise.resolve(alive.has(other)) });

const claimKey = ["claims", "job"];

Deno.test("Claims.take() gives work to one process until that process finishes the work or dies", async () => {
  using kv = await DenoStore.open(":memory:");
  const alive = new Set(["a", "b"]);
  const [a, b] = [claimsOf("a", alive), claimsOf("b", alive)];
  const work = {
    key: ["work", "job"],
    versionstamp: (await kv.set(["work", "job"], 1)).versionstamp,
  };
  const [first, second] = await Promise.all([a, b].map((each) => each.take(kv, claimKey, work)));
  assert.equal([first, second].filter((each) => each !== undefined).length, 1);
  const [winner, loser, name] = first === undefined ? [b, a, "b"] : [a, b, "a"];
  assert.deepEqual([...await loser.heldElsewhere(kv, ["claims"])], ["job"]);
  assert.deepEqual([...await winner.heldElsewhere(kv, ["claims"])], []);
  alive.delete(name);
  assert.deepEqual([...await loser.heldElsewhere(kv, ["claims"])], []);
  const taken = await loser.take(kv, claimKey, work);
  assert.notEqual(taken, undefined);
  const late = await kv.atomic().check(first ?? second!).delete(claimKey).commit();
  assert.equal(late.ok, false, "a process that has lost the claim cannot end the work");
  await kv.set(work.key, 2);
  assert.equal(await winner.take(kv, claimKey, work), undefined, "the work has changed");
});

Deno.test("Claims.release() deletes only this process's own claim", async () => {
  using kv = await DenoStore.open(":memory:");
  const alive = new Set(["a", "b"]);
  const [a, b] = [claimsOf("a", alive), claimsOf("b", alive)];
  assert.notEqual(await a.take(kv, claimKey), undefined);
  await b.release(kv, claimKey);
  assert.equal(await b.take(kv, claimKey), undefined, "the other process still holds the claim");
  await a.release(kv, claimKey);
  assert.notEqual(await b.take(kv, claimKey), undefined);
});

Deno.test("Claims.takeOver() leaves work to the living process that holds it", async () => {
  const alive = new Set(["a", "b"]);
  const claims = claimsOf("a", alive);
  const take = (holder: string | null) => claims.takeOver(holder, (mine) => Promise.resolve(mine));
  assert.equal(await take(null), "a");
  assert.equal(await take("a"), "a");
  assert.equal(await take("b"), undefined);
  assert.equal(await take("dead"), "a");
  assert.equal(await new Claims().takeOver("b", (mine) => Promise.resolve(mine === null)), true);
});
