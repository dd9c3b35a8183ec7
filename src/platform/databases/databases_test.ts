import assert from "node:assert/strict";
import { until } from "../../lib/_test_until.ts";
import type { KeyGrant } from "../core/access/mod.ts";
import { TestMachine, type TestPlatform } from "./_test_databases.ts";
import { TestEngine } from "./_test_engine.ts";
import { Lease } from "../../store/mod.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const at = { project: "shop", database: "orders" };

async function createOrders(platform: TestPlatform, more: Record<string, unknown> = {}) {
  await platform.call("createDatabase", { project: "shop", body: { name: "orders", ...more } });
  return await until(
    () => platform.call("getDatabase", at),
    ({ state }) => state !== "creating",
  );
}

const housekeeping = ({ databases }: TestPlatform) =>
  databases.capability.cleanUp!(
    new AbortController().signal,
    Lease.ofSoleNode("housekeeping"),
  );

Deno.test("a database is in the state creating until its main branch is ready", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const engine = new TestEngine();
  const held = Promise.withResolvers<void>();
  engine.before = () => held.promise;
  const platform = await machine.start(engine);
  const made = await platform.call("createDatabase", {
    project: "shop",
    body: { name: "orders", cuSize: "0.5" },
  });
  assert.deepEqual(
    [made.state, made.memoryMb, made.maxConnections, made.sizeBytes],
    ["creating", 512, 40, null],
  );
  // The query waits for the branch, and then reaches the test engine, which runs no SQL.
  const query = platform.call("queryDatabase", { ...at, body: { sql: "SELECT 1" } });
  const queried = assert.rejects(query, /It runs no SQL/);
  // A statement that read-only mode always refuses does not wait.
  const body = { sql: "INSERT INTO boats VALUES ('Kestrel')", readOnly: true };
  const refused: Response = await platform.call("queryDatabase", { ...at, body });
  assert.match(await refused.text(), /^\{"type":"error",.*"25006".*\}\n$/);
  await assert.rejects(
    platform.call("queryDatabase", { ...at, body: { ...body, branch: "nope" } }),
    /nope/,
  );
  assert.equal((await platform.call("getDatabase", at)).state, "creating");
  held.resolve();
  const active = await until(
    () => platform.call("getDatabase", at),
    ({ state }) => state === "active",
  );
  await queried;
  assert.deepEqual([active.version, active.sizeBytes, active.branches], ["18.1", 5, 1]);
});

Deno.test("the next platform process completes the work of one that was killed", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const killed = new TestEngine();
  const held = Promise.withResolvers<void>();
  killed.before = () => held.promise;
  const before = await machine.start(killed);
  await before.call("createDatabase", { project: "shop", body: { name: "orders" } });
  const engine = new TestEngine("embedded", killed.held);
  const platform = await machine.start(engine);
  await until(() => platform.call("getDatabase", at), ({ state }) => state === "active");
  assert.equal(engine.held.size, 1);
  // The first platform would wait for its engine forever.
  held.resolve();
});

Deno.test("work belongs to a living node, and to another one once that node is dead", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  machine.alive.add("process-0");
  const content = new Map<string, string>();
  const [first, second] = [
    new TestEngine("server", content),
    new TestEngine("server", content),
  ];
  const begun = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  first.before = () => {
    begun.resolve();
    return held.promise;
  };
  let took = 0;
  second.before = () => Promise.resolve(void took++);
  const one = await machine.start(first);
  await one.call("createDatabase", { project: "shop", body: { name: "orders" } });
  await begun.promise;
  const other = await machine.start(second);
  await housekeeping(other);
  assert.equal((await other.call("getDatabase", at)).state, "creating");
  assert.equal(took, 0, "another node creates it");
  machine.kill("process-0");
  await until(() => other.call("getDatabase", at), ({ state }) => state === "active");
  assert.equal(took, 1);
  // A node that was considered dead completes its work.
  held.resolve();
  await one.databases.capability.close!();
  assert.equal((await other.call("getDatabase", at)).state, "active");
  assert.equal(content.size, 1, "the current content is still there");
});

Deno.test("a failed branch has a reason and raises events, and starting the database retries it", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const engine = new TestEngine();
  const { EngineError } = await import("../../database/mod.ts");
  engine.before = () => Promise.reject(new EngineError("The disk is full", "53100"));
  const platform = await machine.start(engine);
  const failed = await createOrders(platform);
  assert.deepEqual([failed.state, failed.reason], ["failed", "The disk is full"]);
  await until(() => machine.events.length, (count) => count > 0);
  assert.equal(machine.events[0]?.event, "health.check_failed");
  assert.equal(machine.events[0]?.data.reason, 'Cannot create database "orders": The disk is full');
  engine.before = () => Promise.resolve();
  await platform.call("startDatabase", at);
  await until(() => platform.call("getDatabase", at), ({ state }) => state === "active");
  await until(() => machine.events.length, (count) => count > 1);
  const { event, data, key } = machine.events[1]!;
  assert.deepEqual([event, data.reason], ["health.recovered", 'Database "orders" works again']);
  assert.equal(key, machine.events[0]!.key);
  await platform.call("createDatabaseBranch", { ...at, body: { name: "next" } });
  assert.equal(machine.events.length, 2, "a branch that never failed does not recover");
});

Deno.test("a failed move changes nothing, and can be retried or abandoned", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const platform = await machine.start(new TestEngine(), new TestEngine("server"));
  await createOrders(platform);
  const move = (engine: string) => platform.call("moveDatabase", { ...at, body: { engine } });
  const ended = () =>
    until(() => platform.call("getDatabase", at), ({ state }) => state === "active");
  for (let time = 0; time < 2; time++) {
    await move("server");
    assert.equal((await ended()).reason, "It runs no SQL");
  }
  await move("embedded");
  const kept = await ended();
  assert.deepEqual([kept.engine, kept.reason, kept.state], ["embedded", null, "active"]);
});

Deno.test("the platform's own errors appear only in the platform's log", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const engine = new TestEngine();
  engine.before = () => Promise.reject(new Error("/secret/path is broken"));
  const failed = await createOrders(await machine.start(engine));
  assert.equal(failed.reason, "The platform failed. See its log for the reason");
  assert.match(machine.troubles.join(), /secret\/path/);
});

Deno.test("branches are copies; a reset copies the parent and removes the old content", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const engine = new TestEngine();
  const platform = await machine.start(engine);
  await createOrders(platform);
  const [main] = engine.held.keys();
  engine.held.set(main!, "first");
  const made = await platform.call("createDatabaseBranch", { ...at, body: { name: "next/one" } });
  assert.deepEqual([made.state, made.parent, made.sizeBytes], ["active", "main", 5]);
  const [, copy] = engine.held.keys();
  assert.equal(engine.held.get(copy!), "first");
  engine.held.set(main!, "second");
  const branch = "next/one";
  const reset = await platform.call("resetDatabaseBranch", { ...at, branch });
  assert.equal(reset.resetAt, new Date(machine.now).toISOString());
  assert.deepEqual([...engine.held.values()], ["second", "second"]);
  assert.ok(!engine.held.has(copy!));
  await assert.rejects(
    platform.call("createDatabaseBranch", { ...at, body: { name: branch } }),
    /already exists/,
  );
  await assert.rejects(
    platform.call("deleteDatabaseBranch", { ...at, branch: "main" }),
    /cannot be deleted: delete the database instead/,
  );
  await platform.call("deleteDatabaseBranch", { ...at, branch });
  assert.deepEqual([...engine.held.keys()], [main]);
});

Deno.test("a branch can be restored to its content at any time within the history", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const engine = new TestEngine();
  const platform = await machine.start(engine);
  await createOrders(platform);
  const { history, createdAt } = await platform.call("getDatabase", at);
  assert.equal(history?.since, createdAt, "the history starts with the database");
  engine.held.set(engine.held.keys().next().value!, "main");
  await platform.call("createDatabaseBranch", { ...at, body: { name: "side" } });
  const [, first] = engine.held.keys();
  const wasAt = machine.now;
  machine.now += 1000;
  await platform.call("resetDatabaseBranch", { ...at, branch: "side" });
  const [, second] = engine.held.keys();
  machine.now += 1000;
  // The engine keeps those parts of removed storage that its history needs.
  engine.held.set(first!, "before the reset");
  engine.held.set(second!, "after the reset");
  for (
    const [time, text] of [[wasAt, "before the reset"], [machine.now, "after the reset"]] as const
  ) {
    const moment = new Date(time).toISOString();
    const body = { name: `at-${time}`, from: "side", at: moment };
    const made = await platform.call("createDatabaseBranch", { ...at, body });
    assert.deepEqual([made.state, made.parent], ["active", "side"]);
    assert.equal([...engine.held.values()].at(-1), `${text} at ${time}`);
  }
  engine.historyFrom = wasAt;
  const [from, to] = [wasAt, machine.now].map((time) => new Date(time).toISOString());
  for (const time of [wasAt - 1, machine.now + 1]) {
    const body = { name: "no", at: new Date(time).toISOString() };
    await assert.rejects(platform.call("createDatabaseBranch", { ...at, body }), {
      message: `Cannot restore to ${body.at}: the history covers ${from} to now (${to})`,
    });
  }
});

Deno.test("housekeeping removes a branch after its time to live", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const engine = new TestEngine();
  const platform = await machine.start(engine);
  await createOrders(platform);
  await platform.call("createDatabaseBranch", { ...at, body: { name: "b", ttlSeconds: 60 } });
  machine.now += 59_000;
  assert.deepEqual(await housekeeping(platform), []);
  machine.now += 1000;
  assert.deepEqual(await housekeeping(platform), ["removed 1 expired database branch"]);
  assert.equal(engine.held.size, 1);
});

Deno.test("a deleted database can be restored for seven days if its name is free", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const engine = new TestEngine();
  const platform = await machine.start(engine);
  const { id } = await createOrders(platform);
  const deleted = await platform.call("deleteDatabase", at);
  assert.equal(deleted.state, "deleted");
  assert.equal(deleted.removedAt, new Date(machine.now + 7 * DAY_MS).toISOString());
  await assert.rejects(platform.call("getDatabase", at), /does not exist/);
  const second = await createOrders(platform);
  assert.notEqual(second.id, id);
  await assert.rejects(
    platform.call("undeleteDatabase", { ...at, database: id }),
    /another database "orders": delete that one first/,
  );
  await platform.call("deleteDatabase", at);
  assert.equal((await platform.call("undeleteDatabase", { ...at, database: id })).id, id);
  machine.now += 7 * DAY_MS;
  await assert.rejects(
    platform.call("undeleteDatabase", { ...at, database: second.id }),
    /has no deleted database/,
    "housekeeping may already be removing it",
  );
  assert.deepEqual(await housekeeping(platform), [
    "permanently removed 1 deleted database",
    "took 1 daily database snapshot",
  ]);
  const { items } = await platform.call("listDatabases", { ...at, query: { deleted: "true" } });
  assert.deepEqual(items, []);
  assert.equal((await platform.call("getDatabase", at)).state, "active");
});

Deno.test("the databases of a deleted project can be restored in another project", async () => {
  await using machine = await TestMachine.make();
  const shop = await machine.project("shop");
  const other = await machine.project("other");
  const platform = await machine.start(new TestEngine());
  const { id } = await createOrders(platform);
  const elsewhere = { project: "other", database: id };
  await assert.rejects(platform.call("undeleteDatabase", elsewhere), /has no deleted database/);
  for (const key of [["projects", "w", shop.id], ["project_by_name", "shop"]]) {
    await machine.kv.delete(key);
  }
  await platform.databases.capability.removeProject!(shop.id);
  const { items } = await platform.call("listDatabases", {
    project: "other",
    query: { deleted: "true" },
  });
  assert.deepEqual(items.map((each: { id: string }) => each.id), [id]);
  const limited: KeyGrant = {
    permissions: ["everything"],
    projects: [other.id],
    expiresAt: null,
  };
  const deleted = { project: "other", query: { deleted: "true" } };
  assert.deepEqual((await platform.call("listDatabases", deleted, limited)).items, []);
  await assert.rejects(
    platform.call("undeleteDatabase", elsewhere, limited),
    /has no deleted database/,
    "a key that is limited to a project does not reach the data of another one",
  );
  const back = await platform.call("undeleteDatabase", elsewhere);
  assert.equal(back.state, "active");
  assert.equal((await platform.call("getDatabase", { ...elsewhere, database: "orders" })).id, id);
});

Deno.test("a database that may have changed gets daily snapshots; seven are kept", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const engine = new TestEngine();
  const platform = await machine.start(engine);
  await createOrders(platform);
  const snapshots = async () => (await platform.call("listDatabaseSnapshots", at)).items;
  const manual = await platform.call("createDatabaseSnapshot", { ...at, body: {} });
  for (let day = 0; day < 9; day++) {
    machine.now += DAY_MS;
    // Clients may have changed the branch since the last snapshot.
    await platform.call("getDatabaseConnection", at);
    await platform.databases.deploymentDatabases.accessFor({
      projectId: (await platform.call("getDatabase", at)).projectId,
      environment: "production",
      branch: "main",
    });
    await housekeeping(platform);
    await housekeeping(platform);
  }
  await housekeeping(platform);
  const kinds = (await snapshots()).map(({ kind }: { kind: string }) => kind);
  assert.deepEqual(kinds, [...Array(7).fill("daily"), "manual"]);
  machine.now += DAY_MS;
  assert.deepEqual(await housekeeping(platform), []);

  const [main] = engine.held.keys();
  engine.held.set(main!, "changed");
  const restored = await platform.call("restoreDatabaseSnapshot", {
    ...at,
    snapshot: manual.id,
    body: { branch: "main" },
  });
  assert.equal(restored.state, "active");
  assert.ok(![...engine.held.values()].includes("changed"));
  assert.equal(engine.held.size, 9);
});

Deno.test("an engine's branches without a record are removed after a day", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const engine = new TestEngine();
  const platform = await machine.start(engine);
  await createOrders(platform);
  engine.held.set("00000000deadbeef", "left behind");
  await housekeeping(platform);
  machine.now += DAY_MS - 1;
  await housekeeping(platform);
  assert.ok(engine.held.has("00000000deadbeef"));
  machine.now += 1;
  const lines = await housekeeping(platform);
  assert.ok(lines.includes("removed 1 stray database from PostgreSQL engines"), String(lines));
  assert.ok(!engine.held.has("00000000deadbeef"));
});

Deno.test("a project can have at most ten databases, with different names", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const platform = await machine.start(new TestEngine());
  const create = (name: string) =>
    platform.call("createDatabase", { project: "shop", body: { name } });
  for (let count = 0; count < 10; count++) await create(`db-${count}`);
  await assert.rejects(create("one-more"), /has the maximum of 10 databases/);
  await assert.rejects(create("db-3"), /already exists/);
});

Deno.test("a missing engine, or a database that clients cannot reach, is reported", async () => {
  await using machine = await TestMachine.make();
  await machine.project("shop");
  const platform = await machine.start(new TestEngine());
  await createOrders(platform);
  await assert.rejects(
    platform.call("moveDatabase", { ...at, body: { engine: "server" } }),
    /has no PostgreSQL server\. The operator can set one with svc serve --postgres/,
  );
  const stopped = await platform.call("stopDatabase", at);
  assert.equal(stopped.state, "stopped");
  await assert.rejects(
    platform.call("queryDatabase", { ...at, body: { sql: "SELECT 1" } }),
    /is stopped. Start it: svc db start orders/,
  );
});
