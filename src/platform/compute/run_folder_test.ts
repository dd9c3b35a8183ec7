import assert from "node:assert/strict";
import { join } from "node:path";
import { hasRoomForSockets, makeRunFolder, removeRunFolder } from "./run_folder.ts";

const isThere = (path: string): boolean => {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
};

Deno.test("hasRoomForSockets() counts bytes, not characters", () => {
  assert.ok(hasRoomForSockets("/var/lib/svc/run"));
  assert.ok(hasRoomForSockets(`/${"d".repeat(60)}`));
  assert.ok(!hasRoomForSockets(`/${"ö".repeat(60)}`));
  assert.ok(!hasRoomForSockets(`/${"d".repeat(80)}`));
});

for (
  const { name, below } of [
    { name: "in the data directory", below: "" },
    { name: "elsewhere if its path is too long", below: "long-name".repeat(10) },
  ]
) {
  Deno.test(`makeRunFolder() creates an empty folder ${name}, without leftovers from a crash`, async () => {
    const root = await Deno.makeTempDir({ prefix: "svc-t-" });
    const dataDir = join(root, below);
    await Deno.mkdir(dataDir, { recursive: true });
    const first = await makeRunFolder(dataDir);
    assert.equal(first === join(dataDir, "run"), below === "");
    assert.equal(Deno.statSync(first).mode! & 0o777, 0o700);
    Deno.listen({
      transport: "unix",
      path: join(await Deno.makeTempDir({ dir: first, prefix: "svc-cs-" }), "c"),
    }).close();
    const second = await makeRunFolder(dataDir);
    assert.deepEqual([...Deno.readDirSync(second)], []);
    assert.equal(isThere(first), first === second);
    await removeRunFolder(dataDir);
    assert.ok(!isThere(second) && !isThere(join(dataDir, "run")));
    await Deno.remove(root, { recursive: true });
  });
}

Deno.test("removeRunFolder() follows only its own links", async () => {
  const root = await Deno.makeTempDir({ prefix: "svc-t-" });
  await Deno.mkdir(join(root, "mine"));
  await Deno.symlink(join(root, "mine"), join(root, "run"));
  await removeRunFolder(root);
  assert.ok(isThere(join(root, "mine")) && !isThere(join(root, "run")));
  await Deno.remove(root, { recursive: true });
});
