import assert from "node:assert/strict";
import { keys } from "../core/store/mod.ts";
import { HookUses } from "./hook_uses.ts";
import { DenoStore, type RecordStore } from "../../store/mod.ts";

async function withUses(
  test: (uses: HookUses, kv: RecordStore, troubles: string[]) => Promise<void>,
) {
  using kv = await DenoStore.open(":memory:");
  const troubles: string[] = [];
  const uses = new HookUses(kv, (text) => troubles.push(text));
  await test(uses, kv, troubles);
  await uses.settled();
}

Deno.test("HookUses counts every use and keeps the last time, even if uses are concurrent", () =>
  withUses(async (uses) => {
    assert.deepEqual(await uses.of("a"), { count: 0, last: null });
    for (let use = 1; use <= 250; use++) {
      uses.note(`h${use % 125}`, use);
      if (use % 50 === 0) await Promise.resolve();
    }
    assert.deepEqual(await uses.of("h0"), { count: 2, last: 250 });
    assert.deepEqual(await uses.of("h124"), { count: 2, last: 249 });
    uses.note("h0", 7);
    assert.deepEqual(await uses.of("h0"), { count: 3, last: 250 });
  }));

Deno.test("HookUses stores simultaneous uses in one commit", () =>
  withUses(async (uses, kv) => {
    for (const id of ["a", "b", "a"]) uses.note(id, 1);
    await uses.settled();
    const entries = await Promise.all(["a", "b"].map((id) => kv.get(keys.hookUse(id, "count"))));
    assert.equal(new Set(entries.map(({ versionstamp }) => versionstamp)).size, 1);
  }));

Deno.test("HookUses reports uses that it cannot store, and continues", () =>
  withUses(async (uses, kv, troubles) => {
    await kv.set(keys.hookUse("damaged", "count"), "no counter");
    uses.note("damaged", 1);
    await uses.settled();
    assert.match(troubles.join(), /^Cannot count the uses of deploy hooks: TypeError/);
    uses.note("sound", 2);
    assert.deepEqual(await uses.of("sound"), { count: 1, last: 2 });
  }));
