/** A data directory goes from one runtime to another and back, or is refused in words. */
// deno-lint-ignore-file no-console -- says why a test is skipped
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { hear } from "../../../scripts/_process.ts";
import { programCommand } from "../../../scripts/_program.ts";
import { createProject, deploy, PROGRAM, start, startSource } from "../../helpers/platform.ts";

async function inFolder(test: (dataDir: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir({ prefix: "svc-runtimes-" });
  try {
    await test(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("what one runtime writes, the other reads, and the other way round", () =>
  inFolder(async (dataDir) => {
    if (PROGRAM === undefined) {
      return console.warn("skipped: needs SVC_BIN, a program on another runtime");
    }
    const runtimes = [startSource, start, startSource, start] as const;
    for (const [round, startRuntime] of runtimes.entries()) {
      const platform = await startRuntime(dataDir);
      try {
        for (let earlier = 0; earlier < round; earlier++) {
          assert.equal((await platform.get(`site-${earlier}.localhost`, "/")).text, "hütte");
          const { json } = await platform.api("GET", `/v1/projects/site-${earlier}/variables`);
          assert.deepEqual([json.items[0].key, json.items[0].value], ["NAME", "日本"]);
        }
        await createProject(platform, `site-${round}`);
        const variables = `/v1/projects/site-${round}/variables`;
        const json = { value: "日本", category: "plain", scope: "all" };
        const set = await platform.api("PUT", `${variables}/NAME`, { json });
        assert.ok(set.status < 300, JSON.stringify(set.json));
        await deploy(platform, `site-${round}`, { files: { "index.html": "hütte" } });
        const inbox = await platform.api("GET", "/v1/notifications");
        assert.equal(inbox.status, 200);
      } finally {
        await platform.shutdown();
      }
    }
  }));

Deno.test("a store with values of a newer runtime is refused in words, and not touched", () =>
  inFolder(async (dataDir) => {
    const place = `${dataDir}/kv.sqlite3`;
    const kv = await Deno.openKv(place);
    await kv.set(["users", "1"], new Uint8Array([1]));
    kv.close();
    const database = new DatabaseSync(place);
    // 1: in the format of V8, of which no runtime knows version 99.
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
      assert.match(told.error, /kv\.sqlite3: it holds values that an svc on a newer Deno wrote/);
      assert.match(told.error, /Nothing was changed\. Start it with the svc that wrote it/);
      assert.ok(!told.error.includes("deserialize"));
    }
    assert.deepEqual(records(), before);
    database.close();
  }));
