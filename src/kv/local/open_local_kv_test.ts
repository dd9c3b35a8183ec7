import { inTestFolder } from "../../lib/_test_folder.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { LocalKvError, openLocalKv } from "./open_local_kv.ts";
import { DenoStore } from "../../store/mod.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const VALUE = { bytes: encode("Kestrel"), contentType: "text/plain" };

/** Another process that reads `here`, sets keys, and prints the value of `here`. */
const OTHER_PROCESS = `
import { openLocalKv } from ${JSON.stringify(import.meta.resolve("./open_local_kv.ts"))};
const { store, namespace, close } = await openLocalKv(Deno.args[0]);
const { bytes } = await store.get(namespace, "here");
for (let count = 0; count < 50; count++) {
  await store.set(namespace, "there/" + count, { bytes, contentType: "text/plain" });
}
close();
console.log(new TextDecoder().decode(bytes));
`;

Deno.test("openLocalKv() creates a folder that git ignores and only its owner can read", () =>
  inTestFolder(async (folder) => {
    const dataDir = join(folder, ".svc", "data");
    for (let time = 0; time < 2; time++) {
      using local = await openLocalKv(dataDir);
      await local.store.set(local.namespace, "boat", VALUE);
    }
    assert.equal((await Deno.stat(dataDir)).mode! & 0o777, 0o700);
    assert.equal(await Deno.readTextFile(join(dataDir, ".gitignore")), "*\n");
    using local = await openLocalKv(dataDir);
    const kept = await local.store.get(local.namespace, "boat");
    assert.deepEqual(kept?.bytes, VALUE.bytes);
  }));

Deno.test("openLocalKv() shares the store with another process that writes at the same time", () =>
  inTestFolder(async (folder) => {
    using local = await openLocalKv(folder);
    const { store, namespace } = local;
    await store.set(namespace, "here", VALUE);
    const other = new Deno.Command(Deno.execPath(), {
      args: ["eval", "--no-check", "--unstable-kv", OTHER_PROCESS, folder],
      stdout: "piped",
      stderr: "inherit",
    }).output();
    for (let count = 0; count < 50; count++) await store.set(namespace, `here/${count}`, VALUE);
    const { success, stdout } = await other;
    assert.ok(success);
    assert.equal(new TextDecoder().decode(stdout), "Kestrel\n");
    for (const prefix of ["here/", "there/"]) {
      assert.equal((await store.list(namespace, { prefix, limit: 100 })).items.length, 50);
    }
  }));

Deno.test("openLocalKv() reports which folder cannot be used, with advice", () =>
  inTestFolder(async (folder) => {
    const file = join(folder, "file");
    await Deno.writeTextFile(file, "");
    await assert.rejects(openLocalKv(join(file, "data")), (error) => {
      assert.ok(error instanceof LocalKvError);
      assert.match(error.message, /file\/data: a part of its path is a file.*dev\.data_dir/);
      return true;
    });
  }));

const HEAD = ["user_kv", "heads", "local", "development", "boat"];

/** Writes a store as earlier versions did, with objects in the runtime's format. */
async function writeNatively(folder: string): Promise<void> {
  using kv = await DenoStore.open(join(folder, "kv.sqlite3"));
  const inline = encode("Heron");
  await kv.set(HEAD, { size: 5, contentType: "text/plain", inline, expiresAt: 4e12 });
  await kv.set(["user_kv", "expiry", 4e12, "local", "development", "boat"], true);
}

/** Returns how values are encoded in a store: 1 is the runtime's own format, 3 is bytes. */
function encodings(folder: string): unknown[] {
  using database = new DatabaseSync(join(folder, "kv.sqlite3"));
  return database.prepare("select distinct v_encoding from kv").all().map((row) => row.v_encoding);
}

Deno.test("openLocalKv() rewrites values from an earlier version so every runtime can read them", () =>
  inTestFolder(async (folder) => {
    await writeNatively(folder);
    assert.deepEqual(encodings(folder), [1]);
    for (let time = 0; time < 2; time++) {
      using local = await openLocalKv(folder);
      const boat = await local.store.get(local.namespace, "boat");
      assert.deepEqual(boat?.bytes, encode("Heron"));
      assert.equal(boat?.expiresAt, 4e12);
      await local.store.set(local.namespace, "new", VALUE);
    }
    assert.deepEqual(encodings(folder), [3]);
  }));

/** An object in a format that no runtime supports yet. */
const FUTURE_VALUE = new Uint8Array([0xff, 99, 0x30]);

Deno.test("openLocalKv() reports values that this runtime cannot read, with advice", () =>
  inTestFolder(async (folder) => {
    await writeNatively(folder);
    {
      using database = new DatabaseSync(join(folder, "kv.sqlite3"));
      database.prepare("update kv set v = ?").run(FUTURE_VALUE);
    }
    await assert.rejects(openLocalKv(folder), (error) => {
      assert.ok(error instanceof LocalKvError);
      assert.match(error.message, /a newer Deno wrote values there .* Nothing was changed\. Run/);
      assert.match(error.message, /delete kv\.sqlite3 in that folder/);
      return true;
    });
    assert.deepEqual(encodings(folder), [1], "nothing has changed");
  }));
