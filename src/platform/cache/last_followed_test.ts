import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { noteFollowed, wasAwayFor } from "./last_followed.ts";

Deno.test("wasAwayFor() returns the time since the last record, if known", async () => {
  const root = join(await Deno.makeTempDir(), "cache");
  assert.equal(await wasAwayFor(root, 1000), undefined);
  await noteFollowed(root, 1000);
  assert.equal(await wasAwayFor(root, 1000), 0);
  await noteFollowed(root, 1500);
  assert.equal(await wasAwayFor(root, 2000), 500);
  assert.equal(await wasAwayFor(root, 1499), undefined, "the clock was set back");
  await Deno.writeTextFile(join(root, "purges_known"), "");
  assert.equal(await wasAwayFor(root, 2000), undefined);
  await Deno.remove(dirname(root), { recursive: true });
});
