/**
 * Tests damage on disk: old keys, flipped bytes in the store, and truncated or missing blobs. The
 * program must report the damage, serve everything else, and never crash.
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { until } from "../../src/lib/_test_until.ts";
import { TestPg } from "../../src/platform/core/store/_test_pg.ts";
import { noServer } from "../helpers/postgres.ts";
import { copySite, hostOf, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

/** Number of bytes to flip in the store's file, and the seeds for their positions. */
const FLIPS = 40;
const SEEDS = [1, 2, 3];

/** Messages from libraries that do not help an operator. */
const BARE = /invalid tag|could not deserialize|panicked|"code":"internal"|Unexpected token/;

const SET_ASIDE = /The record \[\\?"hosts\\?",.*is damaged and was set aside/;

/**
 * Creates a small random number generator (mulberry32). The same seed always results in the same
 * positions.
 */
function numbersOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Creates a stopped platform with two deployed projects. Returns the hosts of both. */
async function withData(
  test: (box: Sandbox, hosts: readonly [string, string]) => Promise<void>,
  prepare: (box: Sandbox) => readonly string[] = () => [],
): Promise<void> {
  await withSandbox(async (box) => {
    await box.start(prepare(box));
    const hosts: string[] = [];
    for (const name of ["first", "second"]) {
      box.site = join(box.folder, name);
      await copySite("plain", box.site);
      await box.json(["init", "--name", name, "--create"]);
      const secret = join(box.folder, "secret");
      await Deno.writeTextFile(secret, `secret of ${name}`);
      await box.json(["env", "set", "SECRET", "--from-file", secret, "--secret", "--all"]);
      hosts.push(hostOf((await box.json(["deploy", "--prod"])).url));
    }
    await box.platform!.stop();
    await test(box, hosts as [string, string]);
  });
}

/** Runs an `svc serve` that cannot start, and returns its output. */
async function refusal(box: Sandbox): Promise<string> {
  const args = ["serve", "--port", "0", "--data-dir", box.dataDir, "--json"];
  const { code, stdout, stderr } = await box.tool(args);
  assert.equal(code, 1, stdout + stderr);
  assert.doesNotMatch(stdout + stderr, BARE);
  return stdout + stderr;
}

/** Returns the results of `svc doctor --deep` for the stored data. */
async function deep(box: Sandbox, more: readonly string[] = []): Promise<string> {
  const args = ["doctor", "--deep", "--data-dir", box.dataDir, ...more, "--json"];
  const { stdout } = await box.tool(args);
  assert.doesNotMatch(stdout, BARE);
  const points: { name: string; state: string; found: string }[] = JSON.parse(stdout).points;
  return points.filter(({ name }) => name === "stored data")
    .map(({ state, found }) => `${state}: ${found}`).join("\n");
}

async function backupRefusal(box: Sandbox): Promise<string> {
  const args = ["backup", join(box.folder, "b.tar"), "--verify", "--force", "--json"];
  const { code, stdout } = await box.tool([...args, "--data-dir", box.dataDir]);
  assert.equal(code, 1, stdout);
  return JSON.parse(stdout).error;
}

Deno.test("a platform does not start with the wrong keys, and svc doctor --deep reports them", () =>
  withData(async (box) => {
    const path = join(box.dataDir, "keys.json");
    const original = await Deno.readTextFile(path);
    assert.match(await deep(box), /^ok: \d+ records, \d+ blobs, and 0 pages/);
    const at = original.indexOf('"key": "') + 8;
    for (const place of [at, at + 20, at + 42, original.indexOf('"id": "') + 7]) {
      const other = original[place] === "a" ? "b" : "a";
      await Deno.writeTextFile(path, original.slice(0, place) + other + original.slice(place + 1));
      assert.match(await refusal(box), /Cannot read the key file .*it is damaged. Restore it/);
      assert.match(await deep(box), /fail: the key file .* is damaged/);
      assert.match(await backupRefusal(box), /the key file .* is damaged/);
    }
    // The key file in the form that versions without checksums wrote.
    const unchecked = original.replace(/,\s*"check": "[0-9a-f]+"/, "");
    assert.notEqual(unchecked, original);
    await Deno.writeTextFile(path, unchecked.slice(0, at) + "AAAA" + unchecked.slice(at + 4));
    assert.match(await refusal(box), /Cannot start with the keys .*encrypted with other keys/);
    await Deno.writeTextFile(path, original);
    await box.json(["rekey", "--data-dir", box.dataDir]);
    const rekeyed = await Deno.readTextFile(path);
    await Deno.writeTextFile(path, original);
    assert.match(await refusal(box), /A file from before svc rekey/);
    assert.match(
      await deep(box),
      /fail: the key file does not contain the key [0-9a-f]{8}, which encrypts/,
    );
    await Deno.writeTextFile(path, rekeyed);
    await box.start();
    const { value } = JSON.parse((await box.tool(["env", "list", "--json"])).stdout)
      .variables[0];
    assert.ok(value === null || value === undefined, "a sensitive value is never returned");
    await box.platform!.stop();
  }));

/** Flips a bit in the middle of a value. */
function flip(value: Uint8Array): void {
  value[value.length >> 1]! ^= 1;
}

/** Returns a key whose last part has no terminator. */
const cut = (key: Uint8Array) => key.map((byte, at) => at === key.length - 1 ? 0x7f : byte);

/** Changes the stored bytes of records under a prefix. Returns the number of changed records. */
function damageRecords(
  box: Sandbox,
  first: string,
  change: {
    readonly key?: (k: Uint8Array) => Uint8Array;
    readonly value?: (v: Uint8Array) => void;
  },
  most: number,
): number {
  const database = new DatabaseSync(join(box.dataDir, "kv.sqlite3"));
  try {
    const rows = database.prepare("SELECT k, v FROM kv ORDER BY k").all()
      .filter(({ k }) => new TextDecoder().decode((k as Uint8Array).subarray(1)).startsWith(first))
      .slice(0, most) as unknown as { k: Uint8Array; v: Uint8Array }[];
    for (const { k, v } of rows) {
      change.value?.(v);
      database.prepare("UPDATE kv SET k = ?, v = ? WHERE k = ?").run(change.key?.(k) ?? k, v, k);
    }
    return rows.length;
  } finally {
    database.close();
  }
}

Deno.test("a damaged record is reported and set aside while everything else is served", () =>
  withData(async (box, [first, second]) => {
    assert.equal(damageRecords(box, "hosts\0", { value: flip }, 1), 1);
    assert.equal(damageRecords(box, "audit\0", { key: cut }, 1), 1);
    const found = await deep(box);
    assert.match(found, /fail: the record \["hosts",".*"\] is damaged: Its checksum differs/);
    assert.match(found, /fail: the key of a record is damaged: 02/);
    assert.match(await backupRefusal(box), /the record \["hosts"/);
    const platform = await box.start();
    const audit = await box.tool(["audit", "--json"]);
    assert.equal(audit.code, 0, audit.stdout + audit.stderr);
    const statuses = await Promise.all(
      [first, second].map(async (host) => (await box.page(host, "/")).status),
    );
    assert.ok(statuses.includes(200), `${statuses}`);
    await until(() => platform.errors(), (log) => SET_ASIDE.test(log));
    assert.doesNotMatch(platform.errors(), BARE);
    await platform.stop();
    assert.match(
      await deep(box),
      /the record \["hosts".*was found to be damaged earlier and set aside/,
    );
  }));

Deno.test("svc doctor finds flipped bytes in the store, and every failure states its cause", () =>
  withData(async (box, hosts) => {
    const path = join(box.dataDir, "kv.sqlite3");
    const whole = join(box.folder, "whole");
    await Deno.remove(`${path}-wal`).catch(() => {});
    await cp(box.dataDir, whole, { recursive: true });
    for (const seed of SEEDS) {
      await Deno.remove(box.dataDir, { recursive: true });
      await cp(whole, box.dataDir, { recursive: true });
      const bytes = await Deno.readFile(path);
      const next = numbersOf(seed);
      for (let count = 0; count < FLIPS; count++) {
        bytes[Math.floor(next() * bytes.length)]! ^= 1 << Math.floor(next() * 8);
      }
      await Deno.writeFile(path, bytes);
      assert.match(await deep(box), /^fail: /m, `seed ${seed}`);
      await backupRefusal(box);
      const started = await box.start().then((platform) => ({ platform }), (error) => ({ error }));
      if ("error" in started) {
        assert.match(await refusal(box), /Cannot (open|start|read|use) /, `seed ${seed}`);
        continue;
      }
      const pages = await Promise.all(hosts.map((host) => box.page(host, "/")));
      await started.platform.stop();
      if (pages.some(({ status }) => status >= 500)) {
        assert.match(started.platform.errors(), /The file is damaged: restore a backup/);
      }
      assert.doesNotMatch(started.platform.errors(), BARE, `seed ${seed}`);
    }
  }));

Deno.test("truncated or missing blobs are reported before anyone needs them", () =>
  withData(async (box) => {
    const blobs: string[] = [];
    async function collect(folder: string): Promise<void> {
      for await (const { name, isDirectory } of Deno.readDir(folder)) {
        if (isDirectory) await collect(join(folder, name));
        else blobs.push(join(folder, name));
      }
    }
    await collect(join(box.dataDir, "blobs"));
    const [cut, gone] = blobs.sort((a, b) => Deno.statSync(b).size - Deno.statSync(a).size);
    const content = await Deno.readFile(cut!);
    await Deno.writeFile(cut!, content.subarray(0, content.length - 1));
    const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
    assert.match(
      await deep(box),
      new RegExp(`fail: blob ${nameOf(cut!)} .*differs from what was stored`),
    );
    assert.match(await backupRefusal(box), new RegExp(nameOf(cut!)));
    const file = join(box.folder, "damaged.tar");
    await box.json(["backup", file, "--data-dir", box.dataDir]);
    const restore = ["restore", file, "--data-dir", join(box.folder, "restored"), "--json"];
    const refused = await box.tool(restore);
    assert.equal(refused.code, 1, refused.stdout);
    assert.match(
      refused.stdout,
      new RegExp(`contains data that was already damaged.*${nameOf(cut!)}`),
    );
    assert.equal((await box.tool([...restore, "--damaged"])).code, 0);
    await Deno.writeFile(cut!, content);
    await Deno.remove(gone!);
    const missing = await deep(box);
    assert.match(
      missing,
      new RegExp(`fail: blob ${nameOf(gone!)}, which deployment .* is missing`),
    );
    assert.match(await backupRefusal(box), new RegExp(nameOf(gone!)));
  }));

/** Runs a platform on a PostgreSQL store whose rows the test can change directly. */
async function withServer(
  test: (box: Sandbox, hosts: readonly [string, string], store: ServerStore) => Promise<void>,
): Promise<void> {
  await using pg = await TestPg.start();
  const { socket, user, database, password } = await pg.newAddress();
  const args = ["--kv", `postgres://${user}@/${database}?host=${dirname(socket!)}`];
  const run = (sql: string) => pg.runSql(sql, database);
  await withData((box, hosts) => test(box, hosts, { args, run }), (box) => {
    box.env.SVC_KV_PASSWORD = password!;
    return args;
  });
}

interface ServerStore {
  /** Flags for `svc serve` with this store. */
  readonly args: readonly string[];
  readonly run: (sql: string) => Promise<Record<string, unknown>[]>;
}

/** Damages the first record under a prefix. */
async function damageRow(
  { run }: ServerStore,
  first: string,
  { key, value }: {
    readonly key?: (k: Uint8Array) => Uint8Array;
    readonly value?: (v: Uint8Array) => void;
  },
): Promise<void> {
  const prefix = new TextEncoder().encode(first).toHex();
  const [row] = await run(
    `SELECT key, value FROM svc.records WHERE position('\\x02${prefix}00'::bytea in key) = 1
    ORDER BY key LIMIT 1`,
  );
  const [k, v] = [row!.key as Uint8Array, row!.value as Uint8Array];
  value?.(v);
  const changed = key?.(k) ?? k;
  await run(
    `UPDATE svc.records SET key = '\\x${changed.toHex()}', value = '\\x${v.toHex()}'
    WHERE key = '\\x${k.toHex()}'`,
  );
}

Deno.test({
  name: "damage in a PostgreSQL store is reported and set aside while everything else is served",
  ignore: noServer() !== undefined,
  fn: () =>
    withServer(async (box, hosts, store) => {
      assert.match(await deep(box, store.args), /^ok: \d+ records, \d+ blobs, and 0 pages/);
      await damageRow(store, "hosts", { value: flip });
      await damageRow(store, "audit", { key: cut });
      const found = await deep(box, store.args);
      assert.match(found, /fail: the record \["hosts",".*"\] is damaged: Its checksum differs/);
      assert.match(found, /fail: the key of a record is damaged: 02/);
      const backup = await box.tool(["backup", join(box.folder, "b.tar"), ...store.args, "--json"]);
      assert.deepEqual([backup.code, JSON.parse(backup.stdout).code], [2, "usage"]);
      const platform = await box.start(store.args);
      const audit = await box.tool(["audit", "--json"]);
      assert.equal(audit.code, 0, audit.stdout + audit.stderr);
      const statuses = await Promise.all(
        hosts.map(async (host) => (await box.page(host, "/")).status),
      );
      assert.ok(statuses.includes(200), `${statuses}`);
      await until(() => platform.errors(), (log) => SET_ASIDE.test(log));
      assert.doesNotMatch(platform.errors(), BARE);
      await platform.stop();
      const after = await deep(box, store.args);
      assert.match(after, /the record \["hosts".*was found to be damaged earlier and set aside/);
    }),
});
