import assert from "node:assert/strict";
import { join } from "node:path";
import { runCli } from "../_test_run.ts";

Deno.test("backup says that managed databases are not in it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-backup-" });
  try {
    const dataDir = join(folder, "data");
    await Deno.mkdir(join(dataDir, "blobs"), { recursive: true });
    await Deno.writeTextFile(join(dataDir, "keys.json"), "keys");
    (await Deno.openKv(join(dataDir, "kv.sqlite3"))).close();
    const backUp = (file: string) =>
      runCli(["backup", join(folder, file), "--data-dir", dataDir], { env: { HOME: folder } });
    assert.doesNotMatch((await backUp("a.tar")).stderr, /databases/);
    await Deno.mkdir(join(dataDir, "databases"));
    const { code, stderr } = await backUp("b.tar");
    assert.equal(code, 0, stderr);
    assert.match(stderr, /managed databases in .* are not in the backup: dump them by pg_dump/);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
