/** Clients that pipeline and flush, beside others that must not wait for them. */
import assert from "node:assert/strict";
import pg from "pg";
import { onEachDatabase, urlOf } from "../../helpers/databases.ts";

/** Time in which a client that waits for nobody is answered, in milliseconds. */
const SOON_MS = 5000;

/** What a connection of `pg` offers for messages of one's own. */
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

onEachDatabase("pipelines", [{
  name: "a Flush outside a batch keeps nobody waiting, and ends nobody",
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
}]);
