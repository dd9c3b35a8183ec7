import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { openKv, openPlatformKv, StoreUnusableError } from "./open_kv.ts";
import { inTestFolder } from "../../../lib/_test_folder.ts";

Deno.test("openKv() reports which store cannot be opened, and why", async () => {
  return await inTestFolder(async (folder) => {
    await assert.rejects(openKv(folder, {}), (error: Error) => {
      assert.ok(error instanceof StoreUnusableError);
      assert.ok(error.message.startsWith(`Cannot open the key-value store ${folder}: `));
      return true;
    });
  });
});

Deno.test({
  name: "openPlatformKv() leaves none of the store's files accessible to other users",
  ignore: Deno.build.os === "windows",
  async fn() {
    await inTestFolder(async (folder) => {
      const store = await openPlatformKv(join(folder, "kv.sqlite3"), {
        env: {},
        onTrouble: (message) => assert.fail(message),
        onDamaged: (message) => assert.fail(message),
      });
      await store.kv.set(["a"], 1);
      const names = [...Deno.readDirSync(folder)].map(({ name }) => name);
      assert.ok(names.includes("kv.sqlite3"));
      for (const name of names) {
        assert.equal(Deno.statSync(join(folder, name)).mode! & 0o077, 0, name);
      }
      await store.close();
    });
  },
});

Deno.test("openKv() refuses a password in a URL, with advice", async () => {
  await assert.rejects(openKv("postgres://svc:secret@db/svc"), (error: Error) => {
    assert.match(error.message, /^Leave the password out of the URL/);
    assert.ok(!error.message.includes("secret"));
    return true;
  });
});

Deno.test("openKv() reports a store as damaged if its keys cannot be decoded", () =>
  inTestFolder(async (folder) => {
    const place = join(folder, "kv.sqlite3");
    const store = await openKv(place);
    await store.set(["a"], 1);
    store.close();
    using database = new DatabaseSync(place);
    database.exec("UPDATE kv SET k = CAST(x'09' || k AS BLOB)");
    await assert.rejects(openKv(place), (error: Error) => {
      assert.match(
        error.message,
        /: the key of a record cannot be decoded. The file is damaged: restore/,
      );
      return true;
    });
  }));
