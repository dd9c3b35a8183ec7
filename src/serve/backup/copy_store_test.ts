import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { PASSWORD } from "../../database/server/_test_server.ts";
import { NO_POSTGRES, TestPg } from "../../platform/core/store/_test_pg.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { openRecords } from "../migration/record_store.ts";
import { copyStore, readStoreCopy } from "./copy_store.ts";

const COUNT = 1200;

Deno.test({
  name: "copyStore() copies a PostgreSQL store at one point in time while others write to it",
  ignore: NO_POSTGRES !== undefined,
  fn: () =>
    inTestFolder(async (folder) => {
      await using server = await TestPg.start();
      const { socket, user, database } = await server.newAddress();
      const url = `postgres://${user}@/${database}?host=${encodeURIComponent(dirname(socket!))}`;
      const env = { SVC_KV_PASSWORD: PASSWORD, PGPASSWORD: PASSWORD };
      const store = await openRecords(url, env);
      const stop = new AbortController();
      const write = async (pair: number) => {
        // Both records change in one commit, so a copy taken at two points in time would have
        // different values.
        await store.kv.atomic().set(["a"], pair).set(["z"], pair).commit();
      };
      try {
        for (let n = 0; n < COUNT; n++) await store.kv.set(["m", n], { n });
        await write(0);
        const writing = (async () => {
          for (let n = 1; !stop.signal.aborted; n++) await write(n);
        })();
        const copy = join(folder, "kv.sqlite3");
        await copyStore(url, copy, env);
        stop.abort();
        await writing;
        await readStoreCopy(copy, async (kv) => {
          assert.deepEqual((await kv.get(["m", 7])).value, { n: 7 });
          assert.equal((await kv.get(["a"])).value, (await kv.get(["z"])).value);
          const count = (await Array.fromAsync(kv.list({ prefix: ["m"] }))).length;
          assert.equal(count, COUNT);
        });
      } finally {
        stop.abort();
        await store.close();
      }
    }),
});
