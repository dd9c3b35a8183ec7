/** Tests database states, and what sweeps remove, on the real engines. */
import assert from "node:assert/strict";
import { join } from "node:path";
import pg from "pg";
import {
  type DatabaseEngine,
  databaseProcessCommand,
  EmbeddedEngine,
  type EngineKind,
  findPostgres,
  LOCAL,
  openServerEngine,
} from "../../database/mod.ts";
import { until } from "../../lib/_test_until.ts";
import { runAsAdmin } from "../../database/server/_test_server.ts";
import { TestMachine, type TestPlatform } from "./_test_databases.ts";
import { inTestFolder } from "../../lib/_test_folder.ts";
import { Lease } from "../../store/mod.ts";
import { keys } from "../core/store/mod.ts";
import { deploymentRecord } from "../deployments/mod.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const at = { project: "shop", database: "orders" };

const hasServer = (await findPostgres(Deno.env.get("PATH") ?? "")).length > 0;

const ENGINES: Readonly<Record<EngineKind, (folder: string) => Promise<DatabaseEngine>>> = {
  embedded: (folder) =>
    Promise.resolve(
      new EmbeddedEngine({
        folder: join(folder, "databases"),
        command: databaseProcessCommand({ env: Deno.env.toObject() }),
      }),
    ),
  server: (dataFolder) =>
    openServerEngine({
      postgres: LOCAL,
      dataFolder,
      memoryBytes: 1024 ** 3,
      // Called when a test kills the server.
      onTrouble: () => {},
    }),
};

interface Place {
  readonly machine: TestMachine;
  readonly platform: TestPlatform;
  readonly engine: DatabaseEngine;
  readonly folder: string;
}

function onEachEngine(name: string, run: (place: Place) => Promise<void>): void {
  for (const [kind, open] of Object.entries(ENGINES)) {
    const ignore = kind === "server" && !hasServer;
    Deno.test({
      name: `${name}: ${kind}${ignore ? " (skipped: there is no PostgreSQL here)" : ""}`,
      ignore,
      async fn() {
        await inTestFolder(async (folder) => {
          await using machine = await TestMachine.make();
          await machine.project("shop");
          const engine = await open(folder);
          const platform = await machine.start(engine);
          await run({ machine, platform, engine, folder });
        });
      },
    });
  }
}

const stateOf = async ({ platform }: Place) => (await platform.call("getDatabase", at)).state;

async function createOrders(place: Place): Promise<string> {
  await place.platform.call("createDatabase", { project: "shop", body: { name: "orders" } });
  await until(() => stateOf(place), (state) => state !== "creating", 60_000);
  assert.equal(await stateOf(place), "active");
  return await urlOf(place);
}

async function urlOf({ platform }: Place, branch?: string): Promise<string> {
  const query = branch === undefined ? {} : { branch };
  return (await platform.call("getDatabaseConnection", { ...at, query })).url;
}

async function ask(connectionString: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  try {
    return [await client.query(sql)].flat().at(-1)!.rows;
  } finally {
    await client.end().catch(() => {});
  }
}

const refusalOf = (url: string): Promise<{ code?: string; message: string }> =>
  ask(url, "SELECT 1").then(() => assert.fail("The client was let in"), (error) => error);

const housekeeping = ({ platform }: Place) =>
  platform.databases.capability.cleanUp!(
    new AbortController().signal,
    Lease.ofSoleNode("housekeeping"),
  );

/** The server's folder for database files, with numbered subfolders. */
const BASE = "postgres/data/base";

/** Hides the only database from its engine. Returns a function that restores it. */
async function takeAway(place: Place): Promise<() => Promise<void>> {
  const { engine, folder } = place;
  const [id] = await engine.list();
  if (engine.kind === "embedded") {
    await killProcess(place);
    const [files, away] = [join(folder, "databases", id!), join(folder, "away")];
    await Deno.rename(files, away);
    return () => Deno.rename(away, files);
  }
  await engine.stop({ id: id!, database: "", role: "", limits: { memoryMb: 0, connections: 0 } });
  await runAsAdmin(folder, `ALTER DATABASE svc_${id} RENAME TO away`);
  return () => runAsAdmin(folder, `ALTER DATABASE away RENAME TO svc_${id}`);
}

async function killProcess({ engine, folder }: Place): Promise<void> {
  const pids = engine instanceof EmbeddedEngine
    ? engine.pids
    : [Number.parseInt(await Deno.readTextFile(join(folder, "postgres/data/postmaster.pid")))];
  assert.equal(pids.length, 1);
  Deno.kill(pids[0]!, "SIGKILL");
  if (engine instanceof EmbeddedEngine) await until(() => engine.pids.length === 0);
}

const NAMES_ON_SERVER = `SELECT datname AS name FROM pg_database WHERE datname ~ '^svc_'
  UNION ALL SELECT rolname FROM pg_roles WHERE rolname ~ '^svc_' AND NOT rolsuper`;
const named = (name: string) => ({ name });
const nameOf = (row: unknown): string => (row as { name: string }).name;

const ROWS = "SELECT name FROM boats";
const KESTREL = [{ name: "Kestrel" }];

onEachEngine(
  "a deleted database is restored completely, or removed with all its data",
  async (place) => {
    const { machine, platform, engine, folder } = place;
    const url = await createOrders(place);
    await ask(url, "CREATE TABLE boats (name text); INSERT INTO boats VALUES ('Kestrel')");
    await platform.call("createDatabaseBranch", { ...at, body: { name: "next" } });
    await platform.call("createDatabaseSnapshot", { ...at, body: {} });
    const branchUrl = await urlOf(place, "next");
    const { id } = await platform.call("deleteDatabase", at);
    assert.equal((await refusalOf(url)).code, "57P03");
    machine.now += 7 * DAY_MS - 1;
    await housekeeping(place);
    await platform.call("undeleteDatabase", { ...at, database: id });
    assert.equal(await stateOf(place), "active");
    for (const each of [url, branchUrl]) assert.deepEqual(await ask(each, ROWS), KESTREL);

    assert.equal((await engine.list()).length, 3);
    await platform.call("deleteDatabase", at);
    machine.now += 7 * DAY_MS;
    assert.deepEqual(await housekeeping(place), ["permanently removed 1 deleted database"]);
    assert.deepEqual(await engine.list(), []);
    assert.equal((await refusalOf(url)).code, "28P01", "its password is unknown");
    const next = await createOrders(place);
    const [own] = await engine.list();
    if (engine.kind === "embedded") {
      const names = (await Array.fromAsync(Deno.readDir(join(folder, "databases"))))
        .map(({ name }) => name).filter((name) => /^[0-9a-f]{16}/.test(name));
      assert.ok(names.length > 0 && names.every((name) => name.startsWith(own!)), String(names));
      return;
    }
    assert.deepEqual(await ask(next, NAMES_ON_SERVER), [`svc_${own}`, `svc_${own}`].map(named));
    const known = (await ask(next, "SELECT oid::text AS name FROM pg_database")).map(nameOf);
    const files = (await Array.fromAsync(Deno.readDir(join(folder, BASE)))).map(({ name }) => name)
      .filter((name) => /^\d+$/.test(name));
    assert.deepEqual(files.sort(), known.sort(), "missing database files");
  },
);

onEachEngine("a database whose process is killed restarts for the next client", async (place) => {
  const url = await createOrders(place);
  await ask(url, "CREATE TABLE boats (name text); INSERT INTO boats VALUES ('Kestrel')");
  const client = new pg.Client({ connectionString: url });
  const cut = new Promise<void>((resolve) => client.on("error", () => resolve()));
  await client.connect();
  await killProcess(place);
  await cut;
  const rows = await until(() => ask(url, ROWS).catch(() => undefined), Boolean, 60_000);
  assert.deepEqual(rows, KESTREL);
  assert.equal(await stateOf(place), "active");
  await client.end().catch(() => {});
});

onEachEngine(
  "a database whose files are missing counts as failed until they return",
  async (place) => {
    const { platform } = place;
    const url = await createOrders(place);
    await ask(url, "CREATE TABLE boats (name text); INSERT INTO boats VALUES ('Kestrel')");
    const bringBack = await takeAway(place);
    const { state, reason } = await platform.call("getDatabase", at);
    assert.equal(state, "failed");
    assert.match(reason, /^The database's files are missing\. Run svc doctor/);
    const { code, message } = await refusalOf(url);
    assert.deepEqual([code, message], ["3D000", reason]);
    await bringBack();
    assert.equal(await stateOf(place), "active");
    assert.deepEqual(await ask(url, ROWS), KESTREL);
  },
);

onEachEngine(
  "each day with writes gets a snapshot, and seven are kept",
  async (place) => {
    const { machine, platform } = place;
    const url = await createOrders(place);
    // Stays connected for days, as a server's connection pool does.
    const client = new pg.Client({ connectionString: url });
    client.on("error", () => {});
    await client.connect();
    await client.query("CREATE TABLE days (day int)");
    const days = 8;
    for (let day = 1; day <= days; day++) {
      await client.query("INSERT INTO days VALUES ($1)", [day]);
      machine.now += DAY_MS;
      assert.deepEqual(await housekeeping(place), ["took 1 daily database snapshot"]);
      assert.deepEqual(await housekeeping(place), [], "there is only one snapshot a day");
    }
    await client.end();
    assert.deepEqual(machine.troubles, []);
    await housekeeping(place);
    const { items } = await platform.call("listDatabaseSnapshots", at);
    const kept = items.map(({ createdAt }: { createdAt: string }) => Date.parse(createdAt));
    const expected = Array.from({ length: 7 }, (_, ago) => machine.now - ago * DAY_MS);
    assert.deepEqual(kept, expected, "the last seven days");
    const oldest = items.at(-1).id;
    const body = { branch: "second-day" };
    await platform.call("restoreDatabaseSnapshot", { ...at, snapshot: oldest, body });
    const back = await urlOf(place, body.branch);
    assert.deepEqual(await ask(back, "SELECT max(day) AS day FROM days"), [{ day: days - 6 }]);
    machine.now += DAY_MS;
    await housekeeping(place);
    machine.now += DAY_MS;
    assert.deepEqual(await housekeeping(place), [], "no one was connected on that day");
  },
);

onEachEngine("a preview whose masks fail leaves no copy behind", async (place) => {
  const { machine, platform, engine } = place;
  const url = await createOrders(place);
  await ask(url, "CREATE TABLE users (email text); INSERT INTO users VALUES ('ada@real.test')");
  const [database] = await Array.fromAsync(platform.databases.databases.all());
  const { projectId } = database!;
  const deployment = deploymentRecord.parse({
    id: "one",
    projectId,
    workspaceId: "w",
    projectName: "shop",
    status: "DEPLOYING",
    branch: "cart",
    environment: "preview",
    uniqueLabel: "shop-1",
    branchLabel: "shop-cart",
    contentSha: null,
    functions: [],
    variablesVersion: "v",
    fileCount: 0,
    totalBytes: 0,
    commitSha: null,
    message: null,
    author: null,
    error: null,
    liveAt: null,
    createdAt: 1,
    updatedAt: 1,
  });
  await machine.kv.set(keys.deployment(projectId, "one"), deployment);
  const { deploymentDatabases } = platform.databases;
  const prepare = (rules: Record<string, string>) =>
    deploymentDatabases.prepare({ ...deployment, database: { mask: { users: rules } } });
  const before = await engine.list();
  await assert.rejects(
    prepare({ mail: "hash" }),
    /db\.mask\.users\.mail: The column does not exist/,
  );
  assert.deepEqual(await engine.list(), before, "no storage is left");
  assert.equal((await platform.call("listDatabaseBranches", at)).items.length, 1);

  await prepare({ email: "hash" });
  const preview = await urlOf(place, "preview/cart");
  const rows = await ask(preview, "SELECT email ~ '^[0-9a-f]{64}$' AS hashed FROM users");
  assert.deepEqual(rows, [{ hashed: true }]);
  await ask(preview, "DELETE FROM users");
  await prepare({ email: "hash" });
  assert.deepEqual(
    await ask(preview, "SELECT * FROM users"),
    [],
    "a deployment resets the branch once",
  );

  for (const [id, createdAt] of [["two", 2], ["three", 3]] as const) {
    const later = { ...deployment, id, createdAt };
    await machine.kv.set(keys.deployment(projectId, id), later);
    await assert.rejects(
      deploymentDatabases.prepare({ ...later, database: { mask: { users: { mail: "hash" } } } }),
      /The column does not exist/,
      `${id}: data with other masks is not reused`,
    );
  }
});
