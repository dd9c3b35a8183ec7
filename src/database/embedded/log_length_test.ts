import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../lib/_test_until.ts";
import { TestGateway } from "../_test_gateway.ts";
import { databaseProcessCommand } from "./process_command.ts";
import { EmbeddedEngine } from "./embedded_engine.ts";

const MB = 1024 * 1024;
/**
 * Maximum size of a branch's log if no checkpoint has occurred, and of the log that a checkpoint
 * keeps, in bytes.
 */
const [MAX_LOG, MAX_KEPT] = [128 * MB, 64 * MB];

const LENGTH = `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), redo_lsn)::int AS bytes
  FROM pg_control_checkpoint()`;

async function sizeOf(folder: string): Promise<number> {
  let size = 0;
  for await (const { name, isFile } of Deno.readDir(folder)) {
    if (isFile) size += (await Deno.stat(join(folder, name))).size;
  }
  return size;
}

Deno.test("EmbeddedEngine shortens a long write-ahead log, and copies little of it", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-test-" });
  const command = databaseProcessCommand({ env: Deno.env.toObject() });
  const gateway = new TestGateway(new EmbeddedEngine({ folder, command }));
  try {
    const branch = await gateway.create();
    const client = await gateway.connect(branch);
    await client.query("CREATE TABLE t (n int, text text)");
    const lengths: number[] = [];
    const length = async (): Promise<number> => (await client.query(LENGTH)).rows[0].bytes;
    while (lengths.at(-1) === undefined || lengths.at(-1)! < MAX_LOG) {
      await client.query(
        "INSERT INTO t SELECT n, repeat('x', 1000) FROM generate_series(1, 9000) n",
      );
      lengths.push(await length());
      // A checkpoint happened in between.
      if (lengths.at(-1)! < (lengths.at(-2) ?? 0)) break;
    }
    assert.ok(Math.max(...lengths) > MAX_LOG / 2, String(lengths));
    await until(length, (bytes) => bytes < MAX_LOG / 2, 10_000);

    const copy = gateway.name();
    await gateway.engine.copy(branch, copy);
    const size = await sizeOf(join(folder, copy.id, "data", "pg_wal"));
    assert.ok(size <= MAX_KEPT + 8 * MB, String(size));
    await client.end();
  } finally {
    await gateway.close();
    await Deno.remove(folder, { recursive: true });
  }
});
