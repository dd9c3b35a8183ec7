import assert from "node:assert/strict";
import { until } from "../../../lib/_test_until.ts";
import {
  migrateSchema,
  openPgStore,
  SCHEMA,
  type StoreAddress,
  type Stored,
  StoreNewerError,
  StoreUnavailableError,
  tidyStore,
} from "../../../store/mod.ts";
import { NO_POSTGRES, QUICK, TestPg, TestProxy } from "./_test_pg.ts";

const bytes = (...values: number[]) => new Uint8Array(values);

/** Started by the first test that needs the server. */
let server: Promise<TestPg> | undefined;
const pgServer = () => server ??= TestPg.start();
Deno.test.afterAll(async () => void await (await server)?.[Symbol.asyncDispose]());

function testPg(name: string, fn: (pg: TestPg) => Promise<void>) {
  Deno.test({
    name,
    ignore: NO_POSTGRES !== undefined,
    fn: async () => await fn(await pgServer()),
  });
}

const LOCALHOST = "127.0.0.1";

async function through(pg: TestPg, hosts: StoreAddress["hosts"]): Promise<StoreAddress> {
  return { ...await pg.newAddress(), socket: undefined, hosts };
}

testPg(
  "a commit whose response is lost is stored once, and returns its version",
  async (pg) => {
    await using proxy = new TestProxy(pg.cluster.socket);
    const store = await openPgStore(await through(pg, [{ hostname: LOCALHOST, port: proxy.port }]));
    try {
      const { kv } = store;
      for (let round = 0; round < 5; round++) {
        await kv.get(["connected"]);
        proxy.onRequest = (sent) => {
          if (!new TextDecoder("latin1").decode(sent).includes("mutations")) return;
          proxy.onRequest = () => {};
          proxy.passesAnswers = false;
          // Lets the next connection work.
          setTimeout(() => proxy.passesAnswers = true);
        };
        const key = ["once", round];
        const { versionstamp } = await kv.atomic().check({ key, versionstamp: null })
          .sum(["count"], 1n).set(key, bytes(round)).commit() as Stored;
        assert.equal((await kv.get(key)).versionstamp, versionstamp);
      }
      assert.deepEqual((await kv.get(["count"])).value, new Deno.KvU64(5n));
    } finally {
      await store.close();
    }
  },
);

testPg("no commit is lost or repeated if connections are cut repeatedly", async (pg) => {
  await using proxy = new TestProxy(pg.cluster.socket);
  const store = await openPgStore(await through(pg, [{ hostname: LOCALHOST, port: proxy.port }]));
  // Signing in takes four messages, so every connection makes some progress first.
  let messages = 0;
  proxy.onRequest = () => void (++messages % 9 === 0 && proxy.cut());
  try {
    for (let n = 0; n < 40; n++) assert.ok((await store.kv.atomic().sum(["n"], 1n).commit()).ok);
    assert.deepEqual((await store.kv.get(["n"])).value, new Deno.KvU64(40n));
  } finally {
    await store.close();
  }
});

testPg("a store with several hosts uses the host that accepts writes", async (pg) => {
  await using proxy = new TestProxy(pg.cluster.socket);
  // The listener is closed immediately, so nothing listens on its port.
  using unused = Deno.listen({ hostname: LOCALHOST, port: 0 });
  const closed = unused.addr.port;
  unused.close();
  const hosts = [{ hostname: LOCALHOST, port: closed }, { hostname: LOCALHOST, port: proxy.port }];
  const store = await openPgStore(await through(pg, hosts));
  try {
    await store.kv.set(["k"], bytes(1));
    assert.deepEqual((await store.kv.get(["k"])).value, bytes(1));
  } finally {
    await store.close();
  }
});

testPg(
  "creating the tables is retried if the connection is lost",
  async (pg) => {
    for (const lost of ["begin", "CREATE SCHEMA", "svc.commits", "INSERT INTO svc.migrations"]) {
      await using proxy = new TestProxy(pg.cluster.socket);
      let cuts = 0;
      proxy.onRequest = (sent) => {
        if (cuts > 0 || !new TextDecoder("latin1").decode(sent).includes(lost)) return;
        cuts++;
        proxy.cut();
      };
      const store = await openPgStore(
        await through(pg, [{ hostname: LOCALHOST, port: proxy.port }]),
      );
      assert.equal(cuts, 1, lost);
      assert.equal((await store.kv.get(["none"])).value, null);
      const ended = performance.now();
      await store.close();
      assert.ok(performance.now() - ended < 4000, "closing does not wait for lost commits");
    }
  },
);

testPg("nothing is read from a server that is behind the node", async (pg) => {
  const address = await pg.newAddress();
  const store = await openPgStore(address, QUICK);
  const follower = await store.follow();
  const move = (by: number) =>
    pg.runSql(`UPDATE svc.clock SET version = version + ${by}`, address.database);
  try {
    const { kv } = store;
    for (let n = 0; n < 9; n++) await kv.set(["a", n], bytes(n));
    await move(-1);
    const behind = (error: Error) =>
      error instanceof StoreUnavailableError &&
      /the server that responds is behind/.test(error.message);
    await assert.rejects(() => kv.get(["a", 1]), behind);
    await assert.rejects(() => Array.fromAsync(kv.list({ prefix: ["none"] })), behind);
    await move(1);
    assert.deepEqual((await kv.get(["a", 1])).value, bytes(1));
    assert.equal((await Array.fromAsync(kv.list({ prefix: ["a"] }))).length, 9);

    // A server that accepts writes counts as the primary, even if commits were lost.
    await move(-5);
    await pg.runSql(
      "DELETE FROM svc.changes WHERE version > (SELECT version FROM svc.clock)",
      address.database,
    );
    await kv.set(["a", 1], bytes(7));
    assert.deepEqual((await kv.get(["a", 1])).value, bytes(7));
  } finally {
    await follower.close();
    await store.close();
  }
});

testPg(
  "a store fails with StoreUnavailableError while its server is down, and recovers afterwards",
  async (pg) => {
    const store = await openPgStore(await pg.newAddress(), QUICK);
    try {
      await store.kv.set(["k"], bytes(1));
      await pg.cluster.stop();
      await assert.rejects(store.kv.get(["k"]), StoreUnavailableError);
      await assert.rejects(
        store.kv.set(["k"], bytes(2)),
        /Cannot reach the key-value store: .*Try again/,
      );
      assert.equal(store.connections.isFailing, true);
      await pg.cluster.start();
      await until(() => store.kv.set(["k"], bytes(3)).then(({ ok }) => ok, () => false));
      assert.deepEqual((await store.kv.get(["k"])).value, bytes(3));
      assert.equal(store.connections.isFailing, false);
    } finally {
      await store.close();
    }
  },
);

testPg(
  "nodes that start at the same time create the tables once; an older program refuses them",
  async (pg) => {
    const address = await pg.newAddress();
    const stores = await Promise.all(Array.from({ length: 4 }, () => openPgStore(address)));
    try {
      await Promise.all(stores.map(({ kv }, n) => kv.set(["node", n], bytes(n))));
      const found = await Array.fromAsync(stores[0]!.kv.list({ prefix: ["node"] }));
      assert.deepEqual(found.map(({ key }) => key[1]), [0, 1, 2, 3]);
      await pg.runSql("INSERT INTO svc.migrations (version) VALUES (99)", address.database);
      await assert.rejects(
        stores[0]!.connections.run((sql) => migrateSchema(sql)),
        (error) => error instanceof StoreNewerError && /version 99/.test(error.message),
      );
    } finally {
      for (const store of stores) await store.close();
    }
  },
);

testPg("a failed migration leaves the tables unchanged", async (pg) => {
  const store = await pg.open();
  try {
    const broken = [...SCHEMA, { version: 2, sql: "CREATE TABLE svc.half (); SELECT 1 / 0" }];
    await assert.rejects(store.connections.run((sql) => migrateSchema(sql, broken)), /division/);
    await store.connections.run((sql) => migrateSchema(sql));
    await store.kv.set(["k"], bytes(1));
  } finally {
    await store.close();
  }
});

testPg("tidyStore() removes expired records from the table", async (pg) => {
  const address = await pg.newAddress();
  const store = await openPgStore(address);
  const count = async () =>
    Number((await pg.runSql("SELECT count(*) FROM svc.records", address.database))[0]!.count);
  try {
    const operation = store.kv.atomic();
    for (let n = 0; n < 900; n++) operation.set(["short", n], bytes(n), { expireIn: 1 });
    await operation.set(["kept"], bytes(1)).set(["later"], bytes(1), { expireIn: 600_000 })
      .commit();
    await until(async () => (await store.kv.get(["short", 0])).versionstamp === null);
    assert.equal(await count(), 902);
    await tidyStore(store);
    assert.equal(await count(), 2);
  } finally {
    await store.close();
  }
});

testPg("the list of changes contains the keys of each commit, in order of version", async (pg) => {
  const address = await pg.newAddress();
  const stores = await Promise.all([openPgStore(address), openPgStore(address)]);
  try {
    await Promise.all(
      stores.flatMap(({ kv }, node) =>
        Array.from({ length: 20 }, (_, n) => kv.set(["w", node, n], bytes(n)))
      ),
    );
    const rows = await pg.runSql(
      "SELECT version, array_length(keys, 1) AS keys FROM svc.changes ORDER BY version",
      address.database,
    );
    assert.deepEqual(rows.map(({ version, keys }) => [Number(version), keys]), [
      ...Array.from({ length: 40 }, (_, n) => [n + 1, 1]),
    ]);
  } finally {
    for (const store of stores) await store.close();
  }
});
