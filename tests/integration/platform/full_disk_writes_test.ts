// deno-lint-ignore-file no-console -- says why the test is skipped
import assert from "node:assert/strict";
import { join } from "node:path";
import { isFullDisk, openKv } from "../../../src/platform/core/store/mod.ts";
import { fill, mountDisk } from "../../helpers/small_disk.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

Deno.test("a group of commits that does not fit on the disk fails as a unit, and the next succeeds", async () => {
  return await inTestFolder(async (folder) => {
    await using disk = await mountDisk(join(folder, "disk"), 4);
    if (disk === undefined) {
      console.warn("skipped: only root can mount a small disk");
      return;
    }
    using kv = await openKv(join(folder, "disk", "kv.sqlite3"));
    const write = (name: string) =>
      Promise.allSettled(
        Array.from({ length: 20 }, (_, n) => kv.set([name, n], new Uint8Array(20_000))),
      );
    assert.ok((await write("before")).every(({ status }) => status === "fulfilled"));
    const ballast = join(folder, "disk", "ballast");
    await fill(ballast);
    for (const outcome of await write("full")) {
      assert.ok(
        outcome.status === "rejected" && isFullDisk(outcome.reason),
        JSON.stringify(outcome),
      );
    }
    await Deno.remove(ballast);
    assert.ok((await write("after")).every(({ status }) => status === "fulfilled"));
    const stored = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key[0]);
    assert.deepEqual(new Set(stored), new Set(["before", "after"]));
    assert.equal(stored.length, 40);
  });
});
