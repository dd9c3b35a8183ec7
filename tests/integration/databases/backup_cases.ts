/** Tests databases in a platform backup. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../../src/lib/_test_until.ts";
import { makeBackup, restoreBackup } from "../../../src/serve/mod.ts";
import { callsOf, createDatabase, type DatabaseCase, startOn } from "../../helpers/databases.ts";

export const BACKUPS: readonly DatabaseCase[] = [
  {
    name: "a running platform's backup includes its databases, and a platform can start from it",
    async run({ platform, at, rows, project, engine }) {
      await rows("CREATE TABLE boats (name text); INSERT INTO boats VALUES ('Kestrel')");
      await platform.api("POST", `${at}/branches`, { json: { name: "feature/a" } });
      await rows("INSERT INTO boats VALUES ('Heron')", "feature/a");
      await platform.api("POST", `${at}/snapshots`, { json: {} });
      const folder = await Deno.makeTempDir();
      // A local PostgreSQL's user must be able to enter this folder.
      await Deno.chmod(folder, 0o755);
      const [file, dataDir] = [join(folder, "backup.tar"), join(folder, "data")];
      try {
        await makeBackup({
          dataDir: platform.dataDir,
          to: file,
          version: "1.2.3",
          now: Date.now,
          databases: { postgres: undefined },
        });
        await rows("DROP TABLE boats");
        await restoreBackup({ from: file, dataDir });
        await using other = await startOn(engine, dataDir);
        const { json } = await until(
          () => other.api("GET", `${at}/branches`),
          ({ json }) => json.items.every((each: { state: string }) => each.state !== "creating"),
          120_000,
        );
        assert.deepEqual(json.items.map((each: { reason: string }) => each.reason), [
          null,
          null,
        ]);
        const elsewhere = callsOf(other, at);
        assert.deepEqual(await elsewhere.rows("TABLE boats"), [["Kestrel"]]);
        assert.equal((await elsewhere.rows("TABLE boats", "feature/a")).length, 2);
        assert.deepEqual((await other.api("GET", `${at}/snapshots`)).json.items, []);
        await createDatabase(other, project, "new");
        await assert.rejects(rows("TABLE boats"), /42P01/);
      } finally {
        await Deno.remove(folder, { recursive: true });
      }
    },
  },
];
