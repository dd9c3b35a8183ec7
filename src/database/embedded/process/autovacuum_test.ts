import assert from "node:assert/strict";
import { join } from "node:path";
import type pg from "pg";
import { until } from "../../../lib/_test_until.ts";
import { TestGateway } from "../../_test_gateway.ts";
import { BackendError } from "../multiplex/backend.ts";
import { databaseProcessCommand } from "../process_command.ts";
import { EmbeddedEngine } from "../embedded_engine.ts";
import { Autovacuum } from "./autovacuum.ts";

/** Returns a backend with tables that are due, and its clock. */
function backend(due: readonly string[]) {
  const state = { now: 0, ran: [] as string[], late: new Set<string>(), takes: 0 };
  const vacuum = new Autovacuum({
    now: () => state.now,
    ask(sql, limit) {
      if (sql.startsWith("SELECT")) return [];
      if (sql.startsWith("WITH")) {
        state.ran.push("look");
        return due.map((each) => [each]);
      }
      state.now += state.takes;
      state.ran.push(sql);
      assert.ok(limit > 0 && Number.isInteger(limit), String(limit));
      if (state.late.has(sql)) throw new BackendError("too late", "57014");
      return [];
    },
  });
  return {
    state,
    vacuum,
    /** Advances the clock, and returns the statements that ran. */
    tick(seconds = 1): string[] {
      state.now += seconds * 1000;
      state.ran = [];
      vacuum.tick();
      return state.ran;
    },
  };
}

Deno.test("Autovacuum processes one table per tick while clients are idle", () => {
  const { vacuum, tick } = backend(["VACUUM a", "ANALYZE b"]);
  assert.deepEqual(tick(), [], "nothing has happened");
  vacuum.note();
  assert.deepEqual(tick(), [], "something has happened since the last tick");
  assert.deepEqual([tick(), tick(), tick(), tick()], [["look"], ["VACUUM a"], ["ANALYZE b"], []]);
  vacuum.note();
  assert.deepEqual([tick(), tick(), tick(57), tick(), tick()], [[], [], ["look"], ["VACUUM a"], [
    "ANALYZE b",
  ]]);
});

Deno.test("Autovacuum does not wait indefinitely for a moment without statements", () => {
  const { vacuum, tick } = backend(["VACUUM a"]);
  vacuum.note();
  assert.deepEqual([tick(), tick()], [[], ["look"]]);
  const ran: string[] = [];
  for (let seconds = 0; seconds < 299; seconds++) {
    vacuum.note();
    ran.push(...tick());
  }
  assert.deepEqual(ran, []);
  vacuum.note();
  assert.deepEqual(tick(), ["VACUUM a"]);
});

Deno.test("Autovacuum postpones slow tables until the database stops, within a time limit", () => {
  const { state, vacuum, tick } = backend(["VACUUM large", "VACUUM b", "VACUUM c"]);
  state.late.add("VACUUM large");
  vacuum.note();
  assert.deepEqual([tick(), tick(), tick(), tick(), tick()], [[], ["look"], ["VACUUM large"], [
    "VACUUM b",
  ], ["VACUUM c"]]);
  vacuum.note();
  assert.deepEqual([tick(), tick(60), tick(), tick(), tick()], [[], ["look"], ["VACUUM b"], [
    "VACUUM c",
  ], []]);
  [state.ran, state.takes] = [[], 3000];
  vacuum.finish();
  assert.deepEqual(state.ran, ["look", "VACUUM large", "VACUUM b"]);
});

Deno.test("the embedded engine frees the disk space of deleted rows, while idle and when it stops", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-vacuum-" });
  const command = databaseProcessCommand({ env: Deno.env.toObject() });
  const engine = new EmbeddedEngine({ folder: join(folder, "engine"), command });
  const gateway = new TestGateway(engine);
  const branch = await gateway.create();
  const client = await gateway.connect(branch);
  await client.query("SET ROLE NONE; SET search_path TO nowhere");
  await client.query('CREATE TABLE public."My t" (n int, x text)');
  /**
   * Creates a table full of dead rows. Returns a function that reads the size of the table's file
   * without SQL.
   */
  const fillWithDead = async () => {
    const { rows: [row] } = await client.query<{ path: string }>(
      `SELECT pg_relation_filepath('public."My t"') AS path`,
    );
    const file = join(folder, "engine", branch.id, "data", row!.path);
    const results = await client.query(`INSERT INTO public."My t"
      SELECT n, repeat('x', 1000) FROM generate_series(1, 2000) AS n; DELETE FROM public."My t";
      SELECT pg_relation_size('public."My t"')::int AS size`);
    const [last] = (results as unknown as pg.QueryResult<{ size: number }>[]).at(-1)!.rows;
    assert.ok(last!.size > 2_000_000);
    return async () => (await Deno.stat(file)).size;
  };
  const size = await fillWithDead();
  await until(size, (size) => size === 0, 60_000);
  await fillWithDead();
  await client.end();
  await engine.stop(branch);
  assert.equal(await size(), 0);
  await gateway.close();
  await Deno.remove(folder, { recursive: true });
});
