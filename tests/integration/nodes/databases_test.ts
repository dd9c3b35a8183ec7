/** The databases of a platform with several nodes are on a server that all nodes can reach. */
import assert from "node:assert/strict";
import { dirname } from "node:path";
import pg from "pg";
import { until } from "../../../src/lib/_test_until.ts";
import { NO_POSTGRES, TestPg } from "../../../src/platform/core/store/_test_pg.ts";
import { Cluster } from "../../helpers/cluster.ts";
import { createProject, type TestPlatform } from "../../helpers/platform.ts";

const AT = "/v1/projects/shop/databases/orders";

const create = (platform: TestPlatform, more = {}) =>
  platform.api("POST", "/v1/projects/shop/databases", { json: { name: "orders", ...more } });

Deno.test({
  name: "nodes refuse to create a database that only one node would have, and give advice",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    const node = await cluster.start("a");
    await createProject(node, "shop");
    for (const body of [{}, { engine: "embedded" }, { engine: "server" }]) {
      const { status, json } = await create(node, body);
      assert.deepEqual([status, json.code], [409, "conflict"]);
      assert.match(json.error, /nodes share records.*SVC_POSTGRES_URL/);
    }
    const { databases } = (await node.api("GET", "/v1/health")).json;
    assert.equal(databases.ready, false);
    assert.match(databases.problem, /SVC_POSTGRES_URL/);
  },
});

Deno.test({
  name: "a database on a shared server can be written through one node and read through another",
  ignore: NO_POSTGRES !== undefined,
  async fn() {
    await using cluster = await Cluster.open();
    await using databases = await TestPg.start();
    const { socket, user, password } = await databases.newAddress();
    const postgres = `postgres://${user}:${encodeURIComponent(password!)}@localhost/postgres?host=${
      dirname(socket!)
    }`;
    const options = { postgres, postgresPort: 0 };
    const [a, b] = [await cluster.start("a", options), await cluster.start("b", options)];
    await createProject(a, "shop");
    assert.equal((await create(a)).status, 201);
    await until(async () => (await a.api("GET", AT)).json.state === "active");
    const through = async (node: TestPlatform, sql: string) => {
      const connection = await node.api("GET", `${AT}/connection`);
      const client = new pg.Client({ connectionString: connection.json.url });
      await client.connect();
      try {
        return (await client.query(sql)).rows;
      } finally {
        await client.end();
      }
    };
    await through(a, "CREATE TABLE boats (name text); INSERT INTO boats VALUES ('Kestrel')");
    assert.deepEqual(await through(b, "SELECT name FROM boats"), [{ name: "Kestrel" }]);
    // All nodes sign in as the branch's role. No node may change the password while another node
    // uses it.
    const passwords = () =>
      databases.runSql("SELECT rolpassword FROM pg_authid WHERE rolname ~ '^svc_[0-9a-f]{16}$'");
    const before = [...await passwords()];
    await Promise.all([a, b, a, b].map((node) => through(node, "SELECT 1")));
    assert.deepEqual([...await passwords()], before);
    const moved = await b.api("POST", `${AT}/move`, { json: { engine: "embedded" } });
    assert.equal(moved.status, 409, JSON.stringify(moved.json));
  },
});
