/** Tests which extensions a client can create, as described in docs/databases.md. */
import assert from "node:assert/strict";
import { ENGINES } from "./_test_engines.ts";
import { TestGateway } from "./_test_gateway.ts";
import { NO_POSTGRES } from "./server/_test_server.ts";

/** PostgreSQL's own extensions that every database owner may create. */
const TRUSTED = ["citext", "hstore", "ltree", "pg_trgm", "pgcrypto", "unaccent", "uuid-ossp"];

const code = (error: unknown) => (error as { code?: string }).code;

for (const [kind, open] of Object.entries(ENGINES)) {
  const lack = kind === "server" ? NO_POSTGRES : undefined;
  Deno.test({
    name: `a client can use extensions: ${kind}` +
      (lack === undefined ? "" : ` (skipped: ${lack})`),
    ignore: lack !== undefined,
    async fn() {
      const folder = await Deno.makeTempDir({ prefix: "svc-extensions-" });
      const gateway = new TestGateway(await open(folder));
      const branch = await gateway.create();
      const client = await gateway.connect(branch);
      try {
        for (const name of TRUSTED) {
          const made = client.query(`CREATE EXTENSION "${name}"`);
          if (kind === "server") await made;
          else await assert.rejects(made, (error) => code(error) === "0A000", name);
        }
        const uuid = await client.query("SELECT gen_random_uuid() AS id, sha256('x') AS hash");
        assert.equal(uuid.rows.length, 1, "built-in functions work");
        if (kind === "embedded") return;
        await client.query(`CREATE TABLE boats (name citext, tags hstore, place ltree);
          INSERT INTO boats VALUES ('Kestrel', 'a=>1', 'x.y');
          CREATE INDEX boats_name ON boats USING gin ((name::text) gin_trgm_ops)`);
        const copy = gateway.name();
        await gateway.engine.copy(branch, copy);
        const other = await gateway.connect(copy);
        const { rows } = await other.query(
          "SELECT tags -> 'a' AS a FROM boats WHERE name = 'KESTREL'",
        );
        assert.deepEqual(rows, [{ a: "1" }], "a branch has them");
        await other.end();
        const dumped = await new Response(gateway.engine.dump(branch, { schemaOnly: false }))
          .text();
        for (const name of TRUSTED) {
          assert.ok(
            dumped.includes(`EXTENSION IF NOT EXISTS "${name}"`) ||
              dumped.includes(`EXTENSION IF NOT EXISTS ${name}`),
            name,
          );
        }
      } finally {
        await client.end();
        await gateway.close();
        await Deno.remove(folder, { recursive: true });
      }
    },
  });
}
