/** Clients that pipeline, prepare and flush, beside others that must not wait for them. */
import assert from "node:assert/strict";
import { once } from "node:events";
import pg from "pg";
import { onEachDatabase, urlOf } from "../../helpers/databases.ts";

/** Time in which a client that waits for nobody is answered, in milliseconds. */
const SOON_MS = 5000;

/** What a connection of `pg` offers for messages of one's own. */
interface Wire extends NodeJS.EventEmitter {
  parse(query: { readonly name: string; readonly text: string }): void;
  describe(message: { readonly type: string; readonly name: string }): void;
  flush(): void;
  sync(): void;
}

const wireOf = (client: pg.Client): Wire =>
  (client as unknown as { readonly connection: Wire }).connection;

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString, query_timeout: SOON_MS });
  await client.connect();
  return client;
}

onEachDatabase("pipelines", [{
  name: "a Flush outside a batch, or behind a Parse, keeps nobody waiting",
  async run(test) {
    const url = await urlOf(test.platform, test.at);
    const [one, other] = [await connect(url), await connect(url)];
    try {
      const wire = wireOf(one);
      await one.query("SELECT 1");
      wire.flush();
      assert.deepEqual((await other.query("SELECT 2 AS n")).rows, [{ n: 2 }]);
      const described = once(wire, "rowDescription");
      wire.parse({ name: "own", text: "SELECT $1::int AS n" });
      wire.describe({ type: "S", name: "own" });
      wire.flush();
      await described;
      assert.deepEqual((await other.query("SELECT 3 AS n")).rows, [{ n: 3 }]);
      const ready = once(wire, "readyForQuery");
      wire.sync();
      await ready;
      const { rows } = await one.query({ name: "own", text: "SELECT $1::int AS n", values: [4] })
        .catch((error) => ({ rows: error.code }));
      assert.equal(rows, "42P05", "the statement is still there under its name");
      assert.deepEqual((await one.query("SELECT 5 AS n")).rows, [{ n: 5 }]);
    } finally {
      await Promise.all([one.end(), other.end()]);
    }
  },
}]);
