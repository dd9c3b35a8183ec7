import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type pg from "pg";
import { until } from "../../../lib/_test_until.ts";
import { TestGateway } from "../../_test_gateway.ts";
import type { Branch } from "../../types.ts";
import { EmbeddedEngine } from "../embedded_engine.ts";
import { databaseProcessCommand } from "../process_command.ts";
import { fairShare } from "./embedded_history.ts";
import { LogReader } from "./log_reader.ts";
import { readCheckpoint, SEGMENT_BYTES, segmentAt } from "./log_position.ts";

const DAY = 24 * 60 * 60_000;
const MB = 1024 * 1024;

interface Bench extends AsyncDisposable {
  readonly folder: string;
  readonly gateway: TestGateway;
  readonly troubles: string[];
  readonly maxBytes: number;
}

function openEngine(
  { folder, maxBytes, troubles }: Pick<Bench, "folder" | "maxBytes" | "troubles">,
  now = Date.now,
): EmbeddedEngine {
  const command = databaseProcessCommand({ env: Deno.env.toObject() });
  const onTrouble = (message: string) => troubles.push(message);
  const history = { keepMs: 2 * DAY, maxBytes, now, onTrouble };
  return new EmbeddedEngine({ folder, command, history });
}

async function makeBench(maxBytes = 1024 * MB): Promise<Bench> {
  const folder = await Deno.makeTempDir({ prefix: "svc-history-" });
  const troubles: string[] = [];
  const gateway = new TestGateway(openEngine({ folder, maxBytes, troubles }));
  return {
    folder,
    gateway,
    troubles,
    maxBytes,
    async [Symbol.asyncDispose]() {
      await gateway.close();
      await Deno.remove(folder, { recursive: true });
    },
  };
}

const sinceOf = ({ gateway }: Bench, branch: Branch): Promise<number> =>
  until(
    async () => (await gateway.engine.history(branch))!.since,
    (since) => since !== null,
  ) as Promise<number>;

/** Returns the values in a branch at a given time. */
async function valuesAt(bench: Bench, source: Branch, time: number): Promise<number[]> {
  const { gateway } = bench;
  const target = gateway.name();
  await gateway.engine.restore(source, target, time);
  assert.equal(gateway.engine.isRunning(target), false, "its log has already been replayed");
  const client = await gateway.connect(target);
  try {
    const { rows } = await client.query<{ n: number }>("SELECT n FROM t ORDER BY n");
    await client.query("INSERT INTO t VALUES (-1, 'works on')");
    return rows.map(({ n }) => n);
  } finally {
    await client.end();
    await gateway.engine.remove(target.id);
  }
}

const insert = (client: pg.Client, n: number, bytes = 0) =>
  client.query(
    "INSERT INTO t SELECT $1, string_agg(md5(i::text), '') FROM generate_series(1, $2) i",
    [
      n,
      Math.ceil(bytes / 32),
    ],
  );

Deno.test("EmbeddedEngine restores a branch as it was at any millisecond", async () => {
  await using bench = await makeBench();
  const { gateway } = bench;
  const source = await gateway.create();
  assert.match((await gateway.engine.history(source))!.problem!, /begins when a client/);
  const client = await gateway.connect(source);
  await client.query("CREATE TABLE t (n int, x text)");
  const since = await sinceOf(bench, source);
  const moments: number[] = [];
  // With these sizes, records span pages and segments.
  for (const bytes of [10, 20_000, 6 * MB, 0]) {
    await insert(client, moments.length, bytes);
    moments.push(Date.now());
    await delay(5);
  }
  await client.query("BEGIN; INSERT INTO t VALUES (99)");
  for (const last of [0, 2]) {
    assert.deepEqual(await valuesAt(bench, source, moments[last]!), [0, 1, 2].slice(0, last + 1));
  }
  await client.query("COMMIT; DROP TABLE t");
  assert.deepEqual(await valuesAt(bench, source, moments.at(-1)!), [0, 1, 2, 3]);
  await assert.rejects(valuesAt(bench, source, Date.now()), /does not exist/);
  await assert.rejects(valuesAt(bench, source, since - 1), /does not go back that far/);
  await client.end();
  await gateway.engine.remove(source.id);
  assert.deepEqual(await valuesAt(bench, source, moments[1]!), [0, 1], "from a deleted branch");
  assert.deepEqual(bench.troubles, []);
});

Deno.test("EmbeddedEngine restores from any base, across kills and checkpoints, within the limits", async () => {
  await using bench = await makeBench(2048 * MB);
  const { gateway, folder } = bench;
  const engine = gateway.engine as EmbeddedEngine;
  const source = await gateway.create();
  let client = await gateway.connect(source);
  await client.query("CREATE TABLE t (n int, x text)");
  await sinceOf(bench, source);
  const bases = () => Array.fromAsync(Deno.readDir(join(folder, "history", source.id, "bases")));
  const moments: number[] = [];
  for (let n = 0; n < 4; n++) {
    for (let part = 0; part < 4; part++) await insert(client, n, 8 * MB);
    moments.push(Date.now());
    await delay(5);
    if (n % 2 === 0) {
      for (const pid of engine.pids) Deno.kill(pid, "SIGKILL");
      client = await gateway.connect(source);
    } else {
      await engine.copy(source, gateway.name());
    }
    // When the branch is opened, or in the next round, a base is created if the log has grown
    // enough.
    if (n === 2) await until(bases, (all) => all.length === 2);
  }
  for (const last of [1, 3]) {
    const values = [...new Set(await valuesAt(bench, source, moments[last]!))];
    assert.deepEqual(values, [0, 1, 2, 3].slice(0, last + 1));
  }
  await client.end();
  await engine.remove(source.id);
  assert.deepEqual(bench.troubles, []);
  const later = openEngine(bench, () => Date.now() + 3 * DAY);
  await until(
    () => Deno.stat(join(folder, "history", source.id)).then(() => true, () => false),
    (isThere) => !isThere,
  );
  await later.close();
});

Deno.test("EmbeddedEngine does not keep a history that cannot fit", async () => {
  await using bench = await makeBench(5 * MB);
  const { gateway } = bench;
  const source = await gateway.create();
  const client = await gateway.connect(source);
  const { problem, since } = await until(
    async () => (await gateway.engine.history(source))!,
    ({ problem }) => problem !== null,
  );
  assert.match(problem!, /does not fit: .* --db-history-size/);
  assert.equal(since, null);
  assert.equal(bench.troubles.length, 1);
  await client.end();
});

Deno.test("LogReader reads from the last checkpoint to the end of PostgreSQL's log", async () => {
  await using bench = await makeBench();
  const { gateway, folder } = bench;
  const source = await gateway.create();
  const client = await gateway.connect(source);
  await client.query("CREATE TABLE t (n int, x text)");
  for (let n = 0; n < 300; n++) await insert(client, n, n * 100);
  const { rows: [row] } = await client.query<Record<"lsn" | "redo" | "time", string>>(
    `SELECT pg_current_wal_lsn() - '0/0' AS lsn, redo_lsn - '0/0' AS redo,
      extract(epoch FROM checkpoint_time) AS time FROM pg_control_checkpoint()`,
  );
  const data = join(folder, source.id, "data");
  const { redo, at } = readCheckpoint(await Deno.readFile(join(data, "global/pg_control")));
  assert.deepEqual([redo, at], [Number(row!.redo), Number(row!.time) * 1000 + 999]);
  const reader = new LogReader(redo);
  for (let position = redo - redo % SEGMENT_BYTES;; position += SEGMENT_BYTES) {
    const pages = await Deno.readFile(join(data, "pg_wal", segmentAt(position)));
    if (!reader.read(pages, position)) break;
  }
  assert.equal(reader.end, Number(row!.lsn));
  assert.ok(Math.abs(reader.latest - Date.now()) < 60_000);
  await client.end();
});

Deno.test("fairShare() returns the limit at which all histories fit", () => {
  assert.equal(fairShare([10, 20], 100), 100);
  assert.equal(fairShare([10, 500, 300], 100), 45);
  assert.equal(fairShare([], 100), 100);
});
