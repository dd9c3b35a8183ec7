import { deepEqual, ok } from "node:assert/strict";
import { join } from "node:path";
import { atOnce } from "../../../lib/next_turn.ts";
import { VerifiedBlobs } from "./verified_blobs.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

/** One verified file, and a function that checks whether it counts as stored. */
async function withVerifiedFile(
  run: (place: { readonly path: string; look(lately?: boolean): boolean }) => Promise<void>,
  monotonic?: () => number,
): Promise<void> {
  return await inTestFolder(async (folder) => {
    const path = join(folder, "a");
    await Deno.writeTextFile(path, "content");
    const blobs = new VerifiedBlobs((sha256) => join(folder, sha256), monotonic);
    blobs.add("a", await Deno.stat(path));
    const look = (lately = false): boolean => {
      const sizes = new Map<string, number | undefined>();
      const others = atOnce(blobs.lookAt(["a", "unknown"], sizes, { lately }));
      deepEqual(others, sizes.has("a") ? ["unknown"] : ["a", "unknown"]);
      return sizes.get("a") === 7;
    };
    await run({ path, look });
  });
}

Deno.test("VerifiedBlobs.lookAt() notices a file that was written to or removed", () =>
  withVerifiedFile(async ({ path, look }) => {
    ok(look());
    await Deno.writeTextFile(path, "damaged content");
    ok(!look());
    await Deno.remove(path);
    ok(!look());
  }));

Deno.test("VerifiedBlobs.lookAt() trusts a check for five seconds if requested", async () => {
  let now = 1000;
  await withVerifiedFile(async ({ path, look }) => {
    ok(look());
    await Deno.remove(path);
    now += 4999;
    ok(look(true));
    ok(!look(), "only if requested");
    now += 1;
    ok(!look(true));
  }, () => now);
});

Deno.test("VerifiedBlobs.lookAt() checks a file that it has not checked before", () =>
  withVerifiedFile(async ({ path, look }) => {
    await Deno.remove(path);
    ok(!look(true));
  }, () => 1000));
