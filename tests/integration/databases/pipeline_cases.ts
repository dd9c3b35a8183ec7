/**
 * Tests clients that pipeline and flush, alongside other clients, which must not have to wait for
 * them.
 */
import assert from "node:assert/strict";
import pg from "pg";
import { type DatabaseCase, urlOf } from "../../helpers/databases.ts";

/**
 * Maximum response time for a client that does not have to wait for other clients, in milliseconds.
 */
const SOON_MS = 10_000;

/** The part of a `pg` connection that sends custom messages. */
interface Wire {
  flush(): void;
}

const wireOf = (client: pg.Client): Wire =>
  (client as unknown as { readonly connection: Wire }).connection;

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, query_timeout: SOON_MS });
  await client.connect();
  return client;
}

export const PIPELINES: readonly DatabaseCase[] = [{
  shares: true,
  name: "a Flush outside a batch neither blocks nor disconnects other clients",
  async run(test) {
    const url = await urlOf(test.platform, test.at);
    const [one, other] = [await connect(url), await connect(url)];
    try {
      const wire = wireOf(one);
      await one.query("SELECT 1");
      wire.flush();
      assert.deepEqual((await other.query("SELECT 2 AS n")).rows, [{ n: 2 }]);
      assert.deepEqual((await one.query("SELECT 3 AS n")).rows, [{ n: 3 }]);
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
  },
}, {
  shares: true,
  name: "a temporary table blocks no other client and is visible only to its connection",
  async run(test) {
    const url = await urlOf(test.platform, test.at);
    const [one, other] = [await connect(url), await connect(url)];
    const count = (client: pg.Client) =>
      client.query({ name: "count", text: "SELECT count(*)::int AS n FROM t" });
    try {
      await one.query("CREATE TEMPORARY TABLE t (id serial PRIMARY KEY, word text)");
      await one.query("CREATE TEMPORARY VIEW words AS SELECT word FROM t");
      await one.query("INSERT INTO t (word) VALUES ('a'), ('b')");
      assert.deepEqual((await count(one)).rows, [{ n: 2 }]);
      assert.deepEqual((await other.query("SELECT 2 AS n")).rows, [{ n: 2 }]);
      await assert.rejects(other.query("SELECT * FROM t"), { code: "42P01" });
      await other.query("CREATE TEMPORARY TABLE t (id serial PRIMARY KEY, number int)");
      for (const number of [1, 2, 3]) {
        await other.query("INSERT INTO t (number) VALUES ($1)", [number]);
        await one.query("INSERT INTO t (word) VALUES ($1)", [`c${number}`]);
      }
      assert.deepEqual([(await count(one)).rows, (await count(other)).rows], [
        [{ n: 5 }],
        [{ n: 3 }],
      ]);
      await one.query("SET default_transaction_read_only = on");
      assert.equal((await other.query("SELECT * FROM t")).rowCount, 3);
      assert.equal((await one.query("SELECT * FROM words")).rowCount, 5);
      await other.end();
      assert.deepEqual((await count(one)).rows, [{ n: 5 }]);
      const after = await connect(url);
      await assert.rejects(after.query("SELECT * FROM t"), { code: "42P01" });
      await after.query("CREATE TEMPORARY TABLE t ()");
      await after.end();
      assert.equal((await one.query("SELECT * FROM words")).rowCount, 5);
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
  },
}];
