/** What deployments get of their project's databases. */
import assert from "node:assert/strict";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { onEachEngine, type TestEngine } from "../../helpers/compute_server.ts";
import { deployServer, MANIFEST } from "../../helpers/compute_site.ts";
import { callsOf, createDatabase, QUICK_ENGINE, urlOf } from "../../helpers/databases.ts";
import {
  createProject,
  rawRequest,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";
import { publish, rule } from "../../helpers/upstreams.ts";
import { until } from "../../../src/lib/_test_until.ts";

const AT = "/v1/projects/shop/databases/orders";

/** A server that keeps visits in its database, by a client that people use. */
const SERVER = `
import { createServer } from "node:http";
import postgres from "postgres";
const url = process.env.DATABASE_URL;
const sql = url?.startsWith("postgres://") ? postgres(url, { max: 2 }) : undefined;
createServer(async (request, response) => {
  if (request.url === "/url") return response.end(url ?? "none");
  if (request.url !== "/visit") return response.end("here");
  try {
    await sql\`INSERT INTO visits DEFAULT VALUES\`;
    const [{ count }] = await sql\`SELECT count(*) FROM visits\`;
    response.end(count);
  } catch (error) {
    response.end("failed: " + error.message);
  }
}).listen(process.env.PORT);
`;

async function bundled(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: SERVER, resolveDir: fileURLToPath(new URL("../../../", import.meta.url)) },
    ...{ bundle: true, write: false, platform: "node", format: "esm", logLevel: "silent" },
  });
  // Deno takes modules of Node by their full names only.
  return outputFiles[0]!.text.replace(
    /from "(os|fs|net|tls|crypto|stream|perf_hooks)"/g,
    'from "node:$1"',
  );
}

async function visitor(platform: TestPlatform, engine: TestEngine) {
  const server = await bundled();
  return async (prod: boolean, path: string) => {
    const { urls, id } = await deployServer(platform, "shop", {
      ...{ engine, server, manifest: MANIFEST, prod },
    });
    const { hostname } = new URL(prod ? urls.production : urls.unique);
    return { id, text: (await platform.get(hostname, path)).text };
  };
}

const userOf = (url: string): string => new URL(url).username;

onEachEngine(
  "a server reads and writes its database, and a preview its own branch",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await createDatabase(platform, "shop", "orders");
      const { rows } = callsOf(platform, AT);
      await rows("CREATE TABLE visits (id int GENERATED ALWAYS AS IDENTITY)");
      const visit = await visitor(platform, engine);
      assert.equal((await visit(true, "/visit")).text, "1");
      assert.equal((await visit(true, "/visit")).text, "2");
      await platform.api("PATCH", AT, { json: { previewBranches: true } });
      const preview = await visit(false, "/visit");
      assert.equal(preview.text, "3");
      assert.deepEqual(await rows("SELECT count(*) FROM visits"), [["2"]]);
      const { json: { items } } = await platform.api("GET", `${AT}/branches`);
      assert.deepEqual(
        items.map((
          { name, parent, gitBranch }: Record<string, unknown>,
        ) => [name, parent, gitBranch]),
        [["main", null, null], ["preview/main", "main", "main"]],
      );
      const stopped = await platform.api("POST", `/v1/deployments/${preview.id}/stop`);
      assert.equal(stopped.status, 200, JSON.stringify(stopped.json));
      await until(
        () => platform.api("GET", `${AT}/branches`),
        ({ json }) => json.items.length === 1,
      );
    }, QUICK_ENGINE),
);

Deno.test("a variable of the project's own goes before the database's, and others get none", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await createDatabase(platform, "shop", "orders");
    const visit = await visitor(platform, "deno");
    const main = userOf(await urlOf(platform, AT));
    assert.equal(userOf((await visit(true, "/url")).text), main);
    assert.equal(userOf((await visit(false, "/url")).text), main);

    await platform.api("PATCH", AT, { json: { environments: ["preview"] } });
    assert.equal((await visit(true, "/url")).text, "none");
    assert.equal(userOf((await visit(false, "/url")).text), main);
    await platform.api("PUT", "/v1/projects/shop/variables/DATABASE_URL", {
      json: { value: "mine", category: "plain", scope: "preview" },
    });
    assert.equal((await visit(false, "/url")).text, "mine");
    const { json: { notes } } = await platform.api("GET", AT);
    assert.match(notes.join(), /sets the variable DATABASE_URL itself in preview/);
    await platform.api("PATCH", AT, { json: { environments: null, envVar: "ORDERS_URL" } });
    assert.equal((await visit(true, "/url")).text, "none");
    await platform.api("PATCH", AT, { json: { autoInject: false } });
    assert.equal((await visit(true, "/url")).text, "none");
  }, QUICK_ENGINE));

/** Runs the statement of the request's body. */
const FUNCTION = `export default async (request, { database }) => {
  const { text, params } = await request.json();
  try {
    return Response.json(await database.query(text, params));
  } catch (error) {
    return Response.json({ code: error.code, message: error.message });
  }
};`;

Deno.test("a function queries its database, with parameters, and learns what is wrong", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await publish(platform, "shop", {
      files: { "index.html": "home" },
      functions: { boats: FUNCTION },
      rules: [rule("boats", { type: "pipeline", steps: [{ handle: "boats" }] }, "/boats")],
    });
    const query = async (text: string, params?: unknown[]) => {
      const answer = await rawRequest(platform.port, {
        ...{ method: "POST", host: "shop.localhost", path: "/boats" },
        body: JSON.stringify({ text, params }),
      });
      return JSON.parse(answer.text);
    };
    assert.deepEqual(await query("SELECT 1"), {
      code: "3D000",
      message: "This deployment has no database",
    });
    await createDatabase(platform, "shop", "orders");
    await query("CREATE TABLE boats (name text PRIMARY KEY, feet int, tags jsonb)");
    const insert = "INSERT INTO boats VALUES ($1, $2, $3)";
    assert.deepEqual(await query(insert, ["Kestrel", 40, { a: 1 }]), {
      rows: [],
      command: "INSERT 0 1",
    });
    const { rows } = await query("SELECT *, feet > 30 AS large FROM boats WHERE feet = $1", [40]);
    assert.deepEqual(rows, [{ name: "Kestrel", feet: 40, tags: { a: 1 }, large: true }]);
    assert.equal((await query(insert, ["Kestrel", null, null])).code, "23505");
    assert.equal((await query("SELECT repeat('x', 9000000)")).code, "54000");
    assert.deepEqual((await query("SELECT 1 AS one")).rows, [{ one: 1 }]);
  }, QUICK_ENGINE));
