import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { NO_POSTGRES, TestPg } from "../../platform/core/store/_test_pg.ts";
import { keys, openDataDir, openKv, StoreUnusableError } from "../../platform/core/store/mod.ts";
import { openKeyRing, SecretBox } from "../../platform/core/secrets/mod.ts";
import { systemRandom } from "../../lib/clock.ts";
import { migrateStore } from "./migrate_store.ts";
import { MigrationError, StoreInUseError } from "./migration_error.ts";
import type { MigrationOptions } from "./migration_options.ts";
import { openRecords } from "./record_store.ts";
import { isMoved, valueBytes } from "./raw_record.ts";
import { DenoStore } from "../../store/mod.ts";

const COUNT = 1500;

/** Creates a data directory with all kinds of records that a store can contain. */
async function furnish(dataDir: string): Promise<void> {
  await Deno.mkdir(dataDir);
  const kv = await DenoStore.open(join(dataDir, "kv.sqlite3"));
  for (let first = 0; first < COUNT; first += 100) {
    const operation = kv.atomic();
    for (let n = first; n < first + 100; n++) {
      operation.set(["bytes", n, `é${n}`], new Uint8Array(n % 700).fill(n));
    }
    await operation.commit();
  }
  await kv.set(["counter"], new Deno.KvU64(2n ** 64n - 1n));
  await kv.set(["native", -1n, true, new Uint8Array([0, 255])], { made: "before" });
  await kv.set(["session"], new Uint8Array([1]), { expireIn: 3_600_000 });
  kv.close();
  const box = new SecretBox(
    await openKeyRing(join(dataDir, "keys.json"), systemRandom),
    systemRandom,
  );
  const store = await openKv(join(dataDir, "kv.sqlite3"));
  await store.set(["variables", "one"], { value: await box.seal("secret", "place") });
  store.close();
}

/** Returns all of a store's content that is moved, as text. */
async function contentOf(place: string, env: Record<string, string>): Promise<readonly string[]> {
  const store = await openRecords(place, env);
  try {
    const records = await Array.fromAsync(store.records());
    return records.filter(isMoved).map((record) =>
      [record.key.toHex(), valueBytes(record).toHex(), record.leftMs === undefined].join()
    );
  } finally {
    await store.close();
  }
}

interface Tools {
  readonly pg: TestPg;
  readonly folder: string;
  readonly dataDir: string;
  readonly place: string;
  readonly env: Record<string, string>;
  migrate(more: Partial<MigrationOptions>): ReturnType<typeof migrateStore>;
}

const cases: { name: string; run: (tools: Tools) => Promise<void> }[] = [];
const test = (name: string, run: (tools: Tools) => Promise<void>) => cases.push({ name, run });

async function runCase({ run }: typeof cases[number], pg: TestPg): Promise<void> {
  const { socket, user, database, password } = await pg.newAddress();
  const folder = await Deno.makeTempDir({ prefix: "svc-migrate-" });
  const dataDir = join(folder, "data");
  const env = { SVC_KV_PASSWORD: password! };
  const place = `postgres://${user}@/${database}?host=${dirname(socket!)}`;
  const migrate: Tools["migrate"] = (more) =>
    migrateStore({
      dataDir,
      env,
      version: "1.0.0",
      records: { to: place },
      signal: new AbortController().signal,
      onPart() {},
      onProgress() {},
      onTrouble() {},
      ...more,
    });
  try {
    await furnish(dataDir);
    await run({ pg, folder, dataDir, place, env, migrate });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

test("moves records to PostgreSQL and back without changes", async (tools) => {
  const { folder, dataDir, place, env, migrate } = tools;
  const there = await migrate({});
  assert.equal(there.records?.count, COUNT + 4);
  assert.equal(there.records?.copied, COUNT + 4);
  const back = join(folder, "back");
  const keysFile = join(dataDir, "keys.json");
  const report = await migrate({ dataDir: back, records: { from: place }, keysFile });
  assert.deepEqual(report.records, there.records);
  const before = await contentOf(join(dataDir, "kv.sqlite3"), env);
  assert.deepEqual(await contentOf(place, env), before);
  assert.deepEqual(await contentOf(join(back, "kv.sqlite3"), env), before);
  const store = await openKv(join(back, "kv.sqlite3"));
  assert.deepEqual((await store.get(["native", -1n, true, new Uint8Array([0, 255])])).value, {
    made: "before",
  });
  assert.equal((await store.get(keys.meta("move"))).versionstamp, null);
  store.close();
});

/** Returns the versionstamp of the next commit to a store. */
async function nextStamp(place: string, env: Record<string, string>): Promise<string> {
  const store = await openRecords(place, env);
  try {
    await store.kv.set(["next"], new Uint8Array());
    return (await store.kv.get(["next"])).versionstamp!;
  } finally {
    await store.close();
  }
}

test("gives new values higher versions than the source", async (tools) => {
  const { folder, dataDir, place, env, migrate } = tools;
  const file = join(dataDir, "kv.sqlite3");
  const source = await DenoStore.open(file);
  for (let commit = 0; commit < 100; commit++) await source.set(["often"], commit);
  source.close();
  const first = await nextStamp(file, env);
  await migrate({});
  const second = await nextStamp(place, env);
  assert.ok(second > first, `${second} after ${first}`);
  const back = join(folder, "back");
  const keysFile = join(dataDir, "keys.json");
  await migrate({ dataDir: back, records: { from: place }, keysFile });
  const third = await nextStamp(join(back, "kv.sqlite3"), env);
  assert.ok(third > second, `${third} after ${second}`);
});

test("continues where it was interrupted and copies later changes", async (tools) => {
  const { dataDir, place, env, migrate } = tools;
  const stopping = new AbortController();
  let moved = 0;
  const onProgress = () => {
    if (++moved === 900) stopping.abort(new Error("interrupted"));
  };
  await assert.rejects(migrate({ signal: stopping.signal, onProgress }), /interrupted/);
  const half = (await contentOf(place, env)).length;
  assert.ok(half > 0 && half < COUNT, `${half} records`);
  const source = await DenoStore.open(join(dataDir, "kv.sqlite3"));
  await source.atomic().delete(["bytes", 0, "é0"]).set(["bytes", 1, "é1"], new Uint8Array([7]))
    .commit();
  source.close();
  const report = await migrate({});
  assert.equal(report.resumed, true);
  assert.ok(report.records!.copied <= COUNT + 4 - half + 1, `${report.records!.copied} copied`);
  assert.deepEqual(await contentOf(place, env), await contentOf(join(dataDir, "kv.sqlite3"), env));
});

test("reports the moved data again when rerun, and changes nothing", async (tools) => {
  const { dataDir, place, env, migrate } = tools;
  const there = await migrate({});
  // The process may be killed when everything is done but not yet reported.
  const again = await migrate({});
  assert.deepEqual(again.records, { ...there.records, copied: 0 });
  assert.equal(again.resumed, true);
  const store = await openKv(place, env);
  await store.set(["something"], 1);
  store.close();
  const before = await contentOf(place, env);
  await assert.rejects(migrate({}), /it contains data that is not part of an unfinished move/);
  assert.deepEqual(await contentOf(place, env), before);
  await assert.rejects(Deno.stat(join(dataDir, "move.json")), Deno.errors.NotFound);
});

test("does not mistake an emptied target for a complete one", async (tools) => {
  const { pg, folder, dataDir, place, env, migrate } = tools;
  const moveFile = join(dataDir, "move.json");
  const stopping = new AbortController();
  const onProgress = () => stopping.abort(new Error("interrupted"));
  await assert.rejects(migrate({ signal: stopping.signal, onProgress }), /interrupted/);
  await Deno.copyFile(moveFile, join(folder, "move.json"));
  await migrate({});
  // The state after a kill right before the file is removed.
  await Deno.copyFile(join(folder, "move.json"), moveFile);
  await pg.runSql("TRUNCATE svc.records", place.match(/store_\d+/)![0]);
  assert.equal((await migrate({})).records?.copied, COUNT + 4);
  assert.deepEqual(await contentOf(place, env), await contentOf(join(dataDir, "kv.sqlite3"), env));
});

test("refuses a target that contains other data", async ({ pg, place, env, migrate }) => {
  const { socket, user, database } = await pg.newAddress();
  const other = `postgres://${user}@/${database}?host=${dirname(socket!)}`;
  const store = await openRecords(other, env);
  await store.kv.set(keys.meta("move"), { id: "another" });
  await store.kv.set(["something"], 1);
  await store.close();
  await assert.rejects(migrate({ records: { to: other } }), (error: Error) => {
    assert.ok(error instanceof MigrationError);
    assert.match(error.message, /another unfinished move/);
    return true;
  });
  assert.notEqual(place, other);
});

test("refuses while nodes run on the source or the target", async ({ folder, dataDir, place, env, migrate }) => {
  const running = await openDataDir(dataDir);
  await assert.rejects(migrate({}), /another svc serve is using it/);
  running.release();
  await migrate({});
  const store = await openRecords(place, env);
  await store.kv.set(keys.pulse("instance-of-a"), true, { expireIn: 60_000 });
  await store.close();
  const back = { dataDir: join(folder, "back"), records: { from: place } };
  for (const options of [back, {}]) {
    await assert.rejects(migrate(options), (error: Error) => {
      assert.ok(error instanceof StoreInUseError);
      assert.match(error.message, /while nodes run on it: instance-of-a/);
      return true;
    });
  }
});

test("refuses while a platform runs on the data directory of another location", async (tools) => {
  const { folder, dataDir, migrate } = tools;
  const running = await openDataDir(join(folder, "running"));
  const records = { from: running.kv, to: join(folder, "copy.sqlite3") };
  await Deno.copyFile(join(dataDir, "kv.sqlite3"), running.kv);
  await assert.rejects(migrate({ records }), /another svc serve is using it/);
  await assert.rejects(migrate({ files: { to: running.blobs } }), /another svc serve is using it/);
  running.release();
  assert.equal((await migrate({ records })).records?.copied, COUNT + 4);
});

test("reports problems with a password or the keys", async (tools) => {
  const { folder, place, env, migrate } = tools;
  await assert.rejects(migrate({ env: { SVC_KV_PASSWORD: "wrong" } }), (error: Error) => {
    assert.ok(error instanceof StoreUnusableError);
    assert.match(error.message, /password authentication failed.*SVC_KV_PASSWORD/);
    assert.doesNotMatch(error.message, /wrong/);
    return true;
  });
  const keysFile = join(folder, "other.json");
  await openKeyRing(keysFile, systemRandom);
  await assert.rejects(migrate({ keysFile }), /lacks the keys \([0-9a-f]{8}\).*--keys-file/);
  assert.deepEqual(await contentOf(place, env), []);
});

test("counts and changes nothing in a dry run", async ({ dataDir, place, env, migrate }) => {
  await Deno.mkdir(join(dataDir, "logs"), { recursive: true });
  await Deno.writeTextFile(join(dataDir, "logs", "1"), "line");
  const report = await migrate({ dryRun: true });
  assert.equal(report.planned?.records?.files, COUNT + 4);
  assert.deepEqual(report.stays, [{ path: join(dataDir, "logs"), what: "access logs" }]);
  assert.deepEqual(await contentOf(place, env), []);
});

Deno.test({
  name: "migrateStore()",
  ignore: NO_POSTGRES !== undefined,
  async fn(t) {
    await using pg = await TestPg.start();
    for (const each of cases) await t.step(each.name, () => runCase(each, pg));
  },
});
