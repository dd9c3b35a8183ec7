/** Accesses a project's databases from deployments. */
import assert from "node:assert/strict";
import { build } from "esbuild";
import { fileURLToPath } from "node:url";
import { onEachEngine, type TestEngine } from "../../helpers/compute_server.ts";
import { deployServer } from "../../helpers/compute_site.ts";
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

/** A server that stores visits in its database, using a popular client. */
const SERVER = `
import { createServer } from "node:http";
import postgres from "postgres";
const url = process.env.DATABASE_URL;
const sql = url?.startsWith("postgres://") ? postgres(url, { max: 2 }) : undefined;
createServer(async (request, response) => {
  if (request.url === "/url") return response.end(url ?? "none");
  if (request.url === "/pid") return response.end(String(process.pid));
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
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });
  // Deno accepts Node's modules only under their full names.
  return outputFiles[0]!.text.replace(
    /from "(os|fs|net|tls|crypto|stream|perf_hooks)"/g,
    'from "node:$1"',
  );
}

/** Deploys the server. Returns a function that sends requests to it. */
async function visitor(platform: TestPlatform, engine: TestEngine, prod: boolean) {
  const { urls, id } = await deployServer(platform, "shop", {
    engine,
    server: await bundled(),
    prod,
  });
  const { hostname } = new URL(prod ? urls.production : urls.unique);
  return { id, ask: async (path: string) => (await platform.get(hostname, path)).text };
}

const userOf = (url: string): string => new URL(url).username;

onEachEngine(
  "a server reads and writes its database, and a preview uses its own branch",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await createDatabase(platform, "shop", "orders");
      const { rows } = callsOf(platform, AT);
      await rows("CREATE TABLE visits (id int GENERATED ALWAYS AS IDENTITY)");
      const production = await visitor(platform, engine, true);
      assert.equal(await production.ask("/visit"), "1");
      const preview = await visitor(platform, engine, false);
      assert.equal(await preview.ask("/visit"), "2");

      await platform.api("PATCH", AT, { json: { previewBranches: true } });
      assert.equal(await preview.ask("/visit"), "3");
      assert.equal(await preview.ask("/visit"), "4");
      assert.deepEqual(await rows("SELECT count(*) FROM visits"), [["2"]]);
      const { json: { items } } = await platform.api("GET", `${AT}/branches`);
      assert.deepEqual(
        items.map((
          { name, parent, gitBranch }: Record<string, unknown>,
        ) => [name, parent, gitBranch]),
        [["main", null, null], ["preview/main", "main", "main"]],
      );
      const branch = `${AT}/branches/preview%2Fmain`;
      assert.equal((await platform.api("POST", `${branch}/reset`)).status, 200);
      assert.equal(await preview.ask("/visit"), "3");
      assert.equal((await platform.api("DELETE", branch)).status, 204);
      assert.equal(await preview.ask("/visit"), "3");
      assert.equal(await production.ask("/visit"), "3");

      const stopped = await platform.api("POST", `/v1/deployments/${preview.id}/stop`);
      assert.equal(stopped.status, 200, JSON.stringify(stopped.json));
      await until(
        () => platform.api("GET", `${AT}/branches`),
        ({ json }) => json.items.length === 1,
      );
    }, QUICK_ENGINE),
);

Deno.test("running servers restart only when their connection strings change", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const { ask } = await visitor(platform, "deno", true);
    const preview = await visitor(platform, "deno", false);
    const change = (json: Record<string, unknown>) => platform.api("PATCH", AT, { json });
    /** Waits until the server's role has changed, and returns the new role. */
    const nextUser = async (last: string) =>
      userOf(await until(() => ask("/url"), (url) => url !== "none" && userOf(url) !== last));
    assert.equal(await ask("/url"), "none");

    await createDatabase(platform, "shop", "orders");
    const first = userOf(await urlOf(platform, AT));
    assert.equal(await nextUser(""), first);
    await callsOf(platform, AT).rows("CREATE TABLE visits (id int GENERATED ALWAYS AS IDENTITY)");
    assert.equal(await ask("/visit"), "1");
    const pid = await ask("/pid");
    await change({ cuSize: "0.5" });
    await createDatabase(platform, "shop", "other", { envVar: "OTHER_URL", autoInject: false });
    assert.equal(await ask("/pid"), pid);

    await change({ environments: ["preview"] });
    assert.equal(await ask("/url"), "none");
    assert.equal(userOf(await preview.ask("/url")), first);
    await change({ environments: null, envVar: "ORDERS_URL" });
    assert.equal(await ask("/url"), "none");
    await change({ envVar: "DATABASE_URL", autoInject: false });
    assert.equal(await ask("/url"), "none");
    await change({ autoInject: true });
    assert.equal(await ask("/visit"), "2");

    const { json: { id } } = await platform.api("DELETE", AT);
    assert.equal(await ask("/url"), "none");
    await platform.api("POST", `/v1/projects/shop/databases/${id}/undelete`);
    assert.equal(await ask("/visit"), "3");
    await platform.api("DELETE", AT);
    await createDatabase(platform, "shop", "orders");
    assert.equal(await nextUser(first), userOf(await urlOf(platform, AT)));

    await platform.api("PUT", "/v1/projects/shop/variables/DATABASE_URL", {
      json: { value: "mine", category: "plain", scope: "preview" },
    });
    const own = await visitor(platform, "deno", false);
    assert.equal(await own.ask("/url"), "mine", "a project variable takes precedence");
    const { json: { notes, overriddenBy } } = await platform.api("GET", AT);
    const [{ note, ...override }] = overriddenBy;
    const environments = ["preview"];
    assert.deepEqual(override, { by: "variable", name: "DATABASE_URL", environments });
    assert.ok(notes.includes(note));
    assert.match(notes.join(), /has its own variable DATABASE_URL in preview/);
  }, QUICK_ENGINE));

/** A function that runs the statement in the request body. */
const FUNCTION = `export default async (request, { database }) => {
  const { text, params } = await request.json();
  try {
    return Response.json(await database.query(text, params));
  } catch (error) {
    return Response.json({ code: error.code, message: error.message });
  }
};`;

Deno.test("a function queries its database with parameters and gets errors with codes", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await publish(platform, "shop", {
      files: { "index.html": "home" },
      functions: { boats: FUNCTION },
      rules: [rule("boats", { type: "pipeline", steps: [{ handle: "boats" }] }, "/boats")],
    });
    const query = async (text: string, params?: unknown[]) => {
      const answer = await rawRequest(platform.port, {
        method: "POST",
        host: "shop.localhost",
        path: "/boats",
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
    const change = (json: Record<string, unknown>) => platform.api("PATCH", AT, { json });
    await change({ environments: ["preview"] });
    assert.equal((await query("SELECT 1")).code, "3D000");
    await change({ environments: null });
    await platform.api("POST", `${AT}/stop`);
    assert.equal((await query("SELECT 1")).code, "57P03");
    await platform.api("DELETE", AT);
    assert.equal((await query("SELECT 1")).code, "3D000");
    await createDatabase(platform, "shop", "orders");
    assert.equal((await query("TABLE boats")).code, "42P01");
  }, QUICK_ENGINE));
