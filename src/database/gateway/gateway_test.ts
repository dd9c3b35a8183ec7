import assert from "node:assert/strict";
import postgres from "postgres";
import { until } from "../../lib/_test_until.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { NO_POSTGRES, startTestServer } from "../server/_test_server.ts";
import { openClient, refusalOf, startTestGateway } from "./_test_gateway.ts";

const ignore = NO_POSTGRES !== undefined;
const skipped = ignore ? ` (skipped: ${NO_POSTGRES})` : "";

Deno.test({
  name: `Gateway accepts psql, pg and postgres, and runs their statements${skipped}`,
  ignore,
  fn: async () => {
    await using test = await startTestGateway();
    const url = test.url(await test.add("shop"));
    const { success, stdout, stderr } = await runProgram("psql", {
      args: [
        url,
        "-At",
        "-c",
        "CREATE TABLE item (id int PRIMARY KEY, name text)",
        "-c",
        "INSERT INTO item VALUES (1, 'one') RETURNING name",
      ],
      clearEnv: true,
      env: { PATH: Deno.env.get("PATH") ?? "" },
    });
    assert.ok(success, new TextDecoder().decode(stderr));
    assert.equal(new TextDecoder().decode(stdout), "CREATE TABLE\none\nINSERT 0 1\n");

    const { client } = await openClient(url);
    const named = { name: "by id", text: "SELECT name FROM item WHERE id = $1", values: [1] };
    for (let round = 0; round < 2; round++) {
      assert.deepEqual((await client.query(named)).rows, [{ name: "one" }]);
    }
    await assert.rejects(client.query("SELECT nothing FROM item"), { code: "42703" });
    const told = new Promise((resolve) => client.once("notification", resolve));
    await client.query("LISTEN changes");

    const sql = postgres(url, { max: 3 });
    await sql.notify("changes", "hello");
    assert.equal((await told as { payload: string }).payload, "hello");
    await sql.begin(async (inside) => {
      await inside`INSERT INTO item SELECT n, 'x' FROM generate_series(2, 5000) n`;
    });
    const counts = await Promise.all([1, 2, 3].map(() => sql`SELECT count(*)::int n FROM item`));
    assert.deepEqual(counts.map(([row]) => row!.n), [5000, 5000, 5000]);
    await sql.end();
    await client.end();
    assert.deepEqual(test.troubles, []);
  },
});

Deno.test({
  name:
    `Gateway refuses clients without access, and gives the reason only to those who know the password${skipped}`,
  ignore,
  fn: async () => {
    await using test = await startTestGateway();
    const branch = await test.add("shop", { connections: 2 });
    const stopped = await test.add("closed", {
      refusal: { sqlState: "57P03", message: 'The database "closed" is stopped' },
    });
    const url = test.url(branch);
    const wrong = (url: string) => url.replace(/:[^:@]*@/, ":wrong@");
    const rows: readonly (readonly [string, string, RegExp])[] = [
      [wrong(url), "28P01", /^password authentication failed for user "shop_\w+"$/],
      [url.replace(branch.role, "nobody_00000000"), "28P01", /failed for user "nobody_00000000"$/],
      [wrong(test.url(stopped)), "28P01", /password authentication failed/],
      [wrong(url).replace(/shop$/, "other"), "28P01", /password authentication failed/],
      [url.replace(/shop$/, "postgres"), "3D000", /^database "postgres" does not exist$/],
      [test.url(stopped), "57P03", /^The database "closed" is stopped$/],
      [`${url}?replication=database`, "0A000", /Replication/],
    ];
    for (const [given, code, message] of rows) {
      const refusal = await refusalOf(given);
      assert.equal(refusal.code, code, given);
      assert.match(refusal.message, message);
    }
    const clients = [await openClient(url), await openClient(url)];
    const many = await refusalOf(url);
    assert.equal(many.code, "53300");
    assert.match(many.message, /"shop" accepts 2 connections at a time/);
    for (const { client } of clients) await client.end();
    await until(() => test.gateway.branches.countOf(branch.id), (count) => count === 0);
    assert.deepEqual(test.troubles, []);
  },
});

Deno.test({
  name: `Gateway cancels, ends and drains sessions${skipped}`,
  ignore,
  fn: async () => {
    await using server = await startTestServer();
    const test = await startTestGateway({ server });
    const branch = await test.add("shop");
    const url = test.url(branch);

    const watcher = await openClient(url);
    const sleeps = async () => {
      const text = "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query LIKE $1";
      return (await watcher.client.query(text, ["SELECT pg_sleep%"])).rowCount;
    };
    const sql = postgres(url, { max: 1 });
    const sleep = sql`SELECT pg_sleep(600)`.execute();
    await until(sleeps, (count) => count === 1);
    sleep.cancel();
    await assert.rejects(sleep, { code: "57014" });
    // PostgreSQL signals the backend, then its process group, which can end the next statement too.
    await sql`SELECT 1`.catch(() => {});
    await sql`CREATE TABLE kept (id int)`;
    await sql.end();

    const lost = await openClient(url);
    await lost.client.query("BEGIN");
    await lost.client.query("INSERT INTO kept VALUES (1)");
    lost.client.query("SELECT pg_sleep(600)").catch(() => {});
    await until(sleeps, (count) => count === 1);
    // The socket is not part of the client's public types.
    const { connection } = lost.client as unknown as {
      readonly connection: { readonly stream: { destroy(): void } };
    };
    connection.stream.destroy();
    await until(sleeps, (count) => count === 0);
    const { client, errors } = watcher;
    const backends = () =>
      client.query("SELECT 1 FROM pg_stat_activity WHERE datname = current_database()");
    await until(async () => (await backends()).rowCount, (count) => count === 1);
    assert.equal(test.gateway.branches.countOf(branch.id), 1);
    assert.equal((await client.query("SELECT * FROM kept")).rowCount, 0);
    await test.gateway.branches.endSessions(branch.id);
    await until(() => errors.length > 0);
    assert.equal((errors[0] as Error & { code: string }).code, "57P01");

    const running = await openClient(url);
    const told = assert.rejects(running.client.query("SELECT pg_sleep(600)"), { code: "57P01" });
    const other = await openClient(url);
    const runs = "SELECT 1 FROM pg_stat_activity WHERE state = 'active' AND query ~ '^SELECT pg_s'";
    await until(async () => (await other.client.query(runs)).rowCount, (count) => count === 1);
    await test.gateway.branches.endSessions(branch.id);
    await told;

    const idle = await openClient(url);
    const busy = await openClient(url);
    await busy.client.query("BEGIN");
    await busy.client.query("INSERT INTO kept VALUES (2)");
    const closed = test.gateway.close();
    await until(() => idle.errors.length > 0);
    assert.equal((idle.errors[0] as Error & { code: string }).code, "57P01");
    await busy.client.query("COMMIT");
    await until(() => busy.errors.length > 0);
    await closed;
    await assert.rejects(openClient(url), { code: "ECONNREFUSED" });
    assert.deepEqual(test.troubles, []);
  },
});

async function openRaw(port: number, bytes: Uint8Array): Promise<Uint8Array> {
  using connection = await Deno.connect({ hostname: "127.0.0.1", port });
  await connection.write(bytes);
  const chunks: number[] = [];
  const buffer = new Uint8Array(4096);
  for (;;) {
    const count = await connection.read(buffer).catch(() => null);
    if (count === null) return Uint8Array.from(chunks);
    chunks.push(...buffer.subarray(0, count));
  }
}

Deno.test({
  name: `Gateway limits the data of clients before they sign in${skipped}`,
  ignore,
  fn: async () => {
    await using server = await startTestServer();
    await using test = await startTestGateway({
      server,
      limits: { maxPerAddress: 2 },
    });
    const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
    assert.match(
      text(await openRaw(test.port, new TextEncoder().encode("GET / HTTP/1.1\r\n\r\n"))),
      /08P01/,
    );
    const version2 = Uint8Array.of(0, 0, 0, 8, 0, 2, 0, 0);
    assert.match(text(await openRaw(test.port, version2)), /Protocol 2\.0 is not supported/);
    const silent = Uint8Array.of(0, 0, 0, 200, 0, 3, 0, 0);
    await using hasty = await startTestGateway({ server, limits: { startupMs: 50 } });
    assert.equal(text(await openRaw(hasty.port, silent)), "", "it does not wait endlessly");

    const branch = await test.add("shop");
    const url = test.url(branch);
    const clients = [await openClient(url), await openClient(url)];
    assert.equal((await refusalOf(url)).code, "53300");
    for (const { client } of clients) await client.end();
  },
});

Deno.test({
  name: `Gateway stops branches that no one uses, and starts them again${skipped}`,
  ignore,
  fn: async () => {
    await using test = await startTestGateway({ limits: { idleMs: 0 } });
    const branch = await test.add("shop");
    const { client } = await openClient(test.url(branch));
    await test.gateway.branches.stopIdle();
    assert.equal((await client.query("SELECT 1")).rowCount, 1, "a session keeps it");
    assert.notEqual(test.gateway.branches.lastActiveAt(branch.id), undefined);
    await client.end();
    await until(() => test.gateway.branches.countOf(branch.id), (count) => count === 0);
    await test.gateway.branches.stopIdle();
    assert.equal(test.gateway.branches.lastActiveAt(branch.id), undefined);
    const again = await openClient(test.url(branch));
    await again.client.end();
  },
});

Deno.test({
  name:
    `Gateway accepts no client for a branch that is being moved, not even one that is signing in${skipped}`,
  ignore,
  fn: async () => {
    await using test = await startTestGateway();
    const branch = await test.add("shop");
    const { engine } = test.access(branch);
    const [reached, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const slow = Object.assign(Object.create(engine), {
      async connect(...given: Parameters<typeof engine.connect>) {
        const session = await engine.connect(...given);
        reached.resolve();
        await mayGoOn.promise;
        return session;
      },
    });
    const arriving = test.gateway.open({ branch, engine: slow });
    await reached.promise;
    const letIn = await test.gateway.branches.close(branch.id);
    mayGoOn.resolve();
    await assert.rejects(arriving, { sqlState: "57P03" });
    const { code, message } = await refusalOf(test.url(branch));
    assert.deepEqual([code, message], [
      "57P03",
      'Database "shop" is being moved. Try again in a moment',
    ]);
    letIn();
    const { client } = await openClient(test.url(branch));
    await client.end();
    await until(() => test.gateway.branches.countOf(branch.id), (count) => count === 0);
  },
});

Deno.test({
  name: `Gateway ends the sessions of a branch before branches.close() resolves${skipped}`,
  ignore,
  fn: async () => {
    await using test = await startTestGateway();
    const branch = await test.add("shop");
    const { engine } = test.access(branch);
    const mayEnd = Promise.withResolvers<void>();
    let hasEnded = false;
    const slow = Object.assign(Object.create(engine), {
      async connect(...given: Parameters<typeof engine.connect>) {
        const session = await engine.connect(...given);
        return {
          greeting: session.greeting,
          read: () => session.read(),
          write: (bytes: Uint8Array) => session.write(bytes),
          cancel: () => session.cancel(),
          async close() {
            await mayEnd.promise;
            await session.close();
            hasEnded = true;
          },
        };
      },
    });
    await test.gateway.open({ branch, engine: slow });
    const closed = test.gateway.branches.close(branch.id).then(() => hasEnded);
    mayEnd.resolve();
    assert.equal(await closed, true, "a session can still acknowledge a statement");
  },
});
