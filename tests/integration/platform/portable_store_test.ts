/** The program must open an earlier program's data directory, or reject it with a message. */
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { hear } from "../../../scripts/_process.ts";
import { programCommand } from "../../../scripts/_program.ts";
import { start } from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { DenoStore } from "../../../src/store/mod.ts";

const EARLIER = new URL("../../../fixtures/data_directories/", import.meta.url).pathname;

for (const name of ["deno-2.6", "deno-2.9"]) {
  Deno.test(`a data directory written by svc on ${name} opens with all of its content`, () =>
    inTestFolder(async (dataDir) => {
      const { code, stderr } = await hear([
        "tar",
        "xzf",
        `${EARLIER}${name}.tar.gz`,
        "-C",
        dataDir,
      ]);
      assert.equal(code, 0, stderr);
      for (let round = 0; round < 2; round++) {
        const platform = await start(dataDir);
        try {
          assert.equal((await platform.get("site.localhost", "/")).text, "hütte");
          const { json } = await platform.api("GET", "/v1/projects/site/variables");
          assert.deepEqual(
            json.items.map(({ key, value }: Record<string, unknown>) => [key, value ?? null]),
            [["NAME", "日本"], ["SECRET", null]],
          );
          const pulled = await platform.api("GET", "/v1/notifications");
          assert.equal(pulled.status, 200);
          assert.ok(pulled.json.items.length > 0);
        } finally {
          await platform.shutdown();
        }
      }
    }));
}

Deno.test("a store with values from a newer runtime is refused with a message and left unchanged", () =>
  inTestFolder(async (dataDir) => {
    const place = `${dataDir}/kv.sqlite3`;
    const kv = await DenoStore.open(place);
    await kv.set(["users", "1"], new Uint8Array([1]));
    kv.close();
    const database = new DatabaseSync(place);
    // Encoding 1 is V8's format. No runtime supports version 99 of this format.
    database.prepare("update kv set v = ?, v_encoding = 1").run(new Uint8Array([0xff, 99, 0x30]));
    const records = () => database.prepare("select hex(k), hex(v), version from kv").all();
    const before = records();
    for (const command of ["serve", "rekey"]) {
      const own = command === "serve" ? ["--port", "0"] : [];
      const { code, stdout } = await hear(
        [...programCommand(), command, "--json", "--data-dir", dataDir, ...own],
      );
      const told = JSON.parse(stdout);
      assert.deepEqual([code, told.code], [1, "store_unusable"], stdout);
      assert.match(told.error, /kv\.sqlite3: it has values written by svc on a newer Deno/);
      assert.match(told.error, /Nothing was changed\. Use the svc version that wrote it/);
      assert.ok(!told.error.includes("deserialize"));
    }
    assert.deepEqual(records(), before);
    database.close();
  }));
