/** Tests references in variables: `${{backend.url}}`, `${{db.shop.url}}` and `${{self.url}}`. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { runCli } from "../../../src/cli/_test_run.ts";
import { deployServer } from "../../helpers/compute_site.ts";
import { createDatabase, urlOf } from "../../helpers/databases.ts";
import { type BuildPlatform, textOf, withBuilds } from "../../helpers/git_builds.ts";
import { createProject, deploy, type TestPlatform, TOKEN } from "../../helpers/platform.ts";
import { runTool } from "../../helpers/tool.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { publish, rule } from "../../helpers/upstreams.ts";

const set = (platform: TestPlatform, key: string, value: string, project = "web") =>
  platform.api("PUT", `/v1/projects/${project}/variables/${key}`, {
    json: { category: "plain", scope: "all", value },
  });

const found = async (platform: TestPlatform, id: string) =>
  (await platform.api("GET", `/v1/deployments/${id}`)).json;

/** A server that responds with its own variables and the other project's response. */
const SERVER = `
import { createServer } from "node:http";
createServer(async (request, response) => {
  const { API_URL, SELF, DB, TEXT } = process.env;
  if (request.url === "/env") return response.end(JSON.stringify({ API_URL, SELF, DB, TEXT }));
  const answer = await fetch(API_URL).catch((error) => new Response(String(error.cause ?? error)));
  response.end(await answer.text());
}).listen(process.env.PORT);
`;

/** Makes two projects refer to each other, with and without automatic redeploys of `web`. */
async function refusesCycle(platform: TestPlatform): Promise<void> {
  const follow = (autoRedeploy: boolean) =>
    platform.api("PATCH", "/v1/projects/web", { json: { autoRedeploy } });
  const setBack = () => set(platform, "WEB_URL", "${{web.url}}", "backend");
  const refused = await setBack();
  assert.equal(refused.status, 409);
  assert.match(
    refused.json.error,
    /^Variable WEB_URL of project "backend" refers to \$\{\{web\.url\}\} in a cycle/,
  );
  await follow(true);
  assert.equal((await setBack()).status, 200);
  await follow(false);
  const deployed = await platform.api("POST", "/v1/projects/web/deployments", {
    json: {
      environment: "preview",
      manifest: { version: 1, layers: [], routes: [] },
      files: [],
    },
  });
  assert.deepEqual([deployed.status, deployed.json.code], [409, "conflict"]);
  assert.match(deployed.json.error, /^Variable API_URL of project "web" .* in a cycle/);
  await platform.api("DELETE", "/v1/projects/backend/variables/WEB_URL");
}

async function serve(platform: TestPlatform, prod: boolean) {
  const live = await deployServer(platform, "web", {
    server: SERVER,
    prod,
  });
  const { hostname } = new URL(prod ? live.urls.production : live.urls.unique);
  const ask = async (path: string) => (await platform.get(hostname, path)).text;
  return { live, env: async () => JSON.parse(await ask("/env")), ask };
}

async function refuses(platform: BuildPlatform): Promise<void> {
  const rows: readonly (readonly [string, RegExp])[] = [
    [
      "${{apo.url}}",
      /^Variable X of project "web" refers to \$\{\{apo\.url\}\}: project "apo" does not exist in workspace "default"\. Projects: web, backend$/,
    ],
    [
      "${{db.shop.url}}",
      /refers to \$\{\{db\.shop\.url\}\}: the project has no database "shop"\. Its databases: orders$/,
    ],
    [
      "${{backend.host}}",
      /^Variable X: "\$\{\{backend\.host\}\}" is not a reference\. Write \$\{\{<project>\.url\}\}/,
    ],
    ["${{X}}", /"\$\{\{X\}\}" is not a reference/],
    ["a ${{backend.url", /^Variable X: A reference is not closed/],
  ];
  for (const [value, wanted] of rows) {
    const { status, json } = await set(platform, "X", value);
    assert.equal(status, 409, value);
    assert.match(json.error, wanted);
  }
  const { json: web } = await platform.api("GET", "/v1/projects/web");
  const { json: key } = await platform.api("POST", "/v1/api-keys", {
    json: { name: "limited", permissions: ["variables", "read"], projects: [web.id] },
  });
  const limited = (value: string) =>
    platform.api("PUT", "/v1/projects/web/variables/X", {
      json: { category: "plain", scope: "all", value },
      token: key.key,
    });
  const other = await limited("${{backend.url}}");
  assert.equal(other.status, 409);
  assert.match(other.json.error, /project "backend" does not exist.*Projects: web$/);
  const database = await limited("${{db.orders.url}}");
  assert.deepEqual([database.status, database.json.code], [403, "forbidden"]);
  assert.equal((await limited("${{self.url}}")).status, 200);
  await platform.api("DELETE", "/v1/projects/web/variables/X");
}

Deno.test("variables can refer to projects, databases and their own deployment", (t) =>
  withBuilds(async (platform) => {
    const at = (label: string) => `http://${label}.localhost:${platform.port}`;
    await createProject(platform, "backend");
    const { hook } = await platform.project("web", {
      buildCommand: "node build.mjs",
      outputDirectory: "out",
    });
    await createDatabase(platform, "web", "orders", { autoInject: false });
    await t.step(
      "a name that does not exist or that a key cannot access is refused",
      () => refuses(platform),
    );

    await deploy(platform, "backend", { files: { "index.html": "backend of production" } });
    await set(platform, "API_URL", "${{backend.url}}");
    await set(platform, "SELF", "${{ self.url }}/callback");
    await set(platform, "DB", "${{db.orders.url}}");
    await set(platform, "TEXT", "$${{backend.url}} and ${{ backend.url }}");
    const { hostname, username } = new URL(
      await urlOf(platform, "/v1/projects/web/databases/orders"),
    );
    assert.notEqual(hostname, "");

    const before = await serve(platform, true);
    await t.step("a production server gets the production URL and can reach it", async () => {
      const { DB, ...rest } = await before.env();
      assert.equal(new URL(DB).username, username);
      assert.deepEqual(rest, {
        API_URL: at("backend"),
        SELF: `${at("web")}/callback`,
        TEXT: `\${{backend.url}} and ${at("backend")}`,
      });
      assert.equal(await before.ask("/relay"), "backend of production");
    });

    const early = await serve(platform, false);
    await t.step("a preview gets the production URL if the branch has no preview", async () => {
      const { API_URL, SELF } = await early.env();
      assert.deepEqual([API_URL, SELF], [at("backend"), `${early.live.urls.unique}/callback`]);
    });

    const other = await deploy(platform, "backend", {
      files: { "index.html": "backend of a preview" },
      prod: false,
    });
    await t.step(
      "a new preview of the branch marks deployments that do not use its URL",
      async () => {
        const marked = await found(platform, early.live.id);
        assert.deepEqual([marked.referencesChanged, marked.variablesChanged], [true, false]);
        assert.deepEqual(marked.references, [
          { variable: "API_URL", reference: "backend.url", value: at("backend"), changed: true },
          { variable: "DB", reference: "db.orders.url", value: null, changed: false },
          {
            variable: "SELF",
            reference: "self.url",
            value: early.live.urls.unique,
            changed: false,
          },
          { variable: "TEXT", reference: "backend.url", value: at("backend"), changed: true },
        ]);
        assert.equal((await found(platform, before.live.id)).referencesChanged, false);
      },
    );

    const late = await serve(platform, false);
    await t.step("the next preview gets its branch's URL and can reach it", async () => {
      assert.equal((await late.env()).API_URL, other.urls.branch);
      assert.equal(await late.ask("/relay"), "backend of a preview");
      assert.equal((await found(platform, late.live.id)).referencesChanged, false);
    });

    await t.step("stopping a preview marks deployments that use its URL", async () => {
      await platform.api("POST", `/v1/deployments/${other.id}/stop`, { json: {} });
      assert.equal((await found(platform, late.live.id)).referencesChanged, true);
      assert.equal((await found(platform, early.live.id)).referencesChanged, false);
      const again = await platform.api("POST", `/v1/deployments/${late.live.id}/redeploy`);
      assert.equal(again.json.referencesChanged, false);
    });

    await t.step("a project that opts in is redeployed when a URL changes", async () => {
      const { json } = await platform.api("PATCH", "/v1/projects/web", {
        json: { autoRedeploy: true },
      });
      assert.equal(json.autoRedeploy, true);
      const again = await deploy(platform, "backend", {
        files: { "index.html": "backend of another preview" },
        prod: false,
      });
      const { items } = await until(
        async () => (await platform.api("GET", "/v1/projects/web/deployments")).json,
        ({ items: [latest] }) =>
          latest.status === "LIVE" &&
          latest.references.some(({ value }: { value: string }) => value === again.urls.branch),
        60_000,
      );
      assert.equal(items[0].isPreview, true);
      assert.equal((await found(platform, before.live.id)).status, "LIVE");
      await platform.api("PATCH", "/v1/projects/web", { json: { autoRedeploy: false } });
    });

    await t.step(
      "a cycle of references is refused unless one of the projects redeploys automatically",
      () => refusesCycle(platform),
    );

    await t.step("functions get resolved references", async () => {
      await publish(platform, "web", {
        functions: {
          env: `export default (_: Request, { env }: { env: Record<string, string> }) =>
            Response.json(env);`,
        },
        rules: [rule("env", { type: "pipeline", steps: [{ handle: "env" }] })],
      });
      const { API_URL, TEXT, DB } = JSON.parse((await platform.get("web.localhost", "/x")).text);
      assert.deepEqual([API_URL, TEXT], [at("backend"), `\${{backend.url}} and ${at("backend")}`]);
      assert.equal(new URL(DB).username, username);
    });

    await t.step(
      "a build from git gets resolved references, and its log hides the connection string",
      async () => {
        const built = await platform.build(hook, {
          "build.mjs": `import { mkdirSync, writeFileSync } from "node:fs";
          const { API_URL, SELF, TEXT, DB } = process.env;
          console.log("database: " + DB);
          mkdirSync("out");
          writeFileSync("out/index.html", [API_URL, SELF, TEXT].join(" "));`,
        });
        const log = textOf(await platform.log(built.id));
        assert.equal(built.error, null, log);
        assert.doesNotMatch(log, /database: postgres/);
        assert.equal(
          (await platform.get("web.localhost", "/")).text,
          `${at("backend")} ${at("web")}/callback \${{backend.url}} and ${at("backend")}`,
        );
      },
    );

    await t.step("the CLI shows the values of references", () =>
      inTestFolder(async (home) => {
        const folder = join(home, "site");
        await Deno.mkdir(folder);
        const { id } = (await platform.api("GET", "/v1/projects/web")).json;
        await Deno.writeTextFile(
          join(folder, "svc.toml"),
          `[project]\nid = "${id}"\nname = "web"\n[build]\noutput_dirs = ["dist"]\ncommand = 'mkdir -p dist && printf "%s" "$API_URL" > dist/index.html'\n`,
        );
        const options = { port: platform.port, home, cwd: folder };
        const env = {
          SVC_API_URL: `http://127.0.0.1:${platform.port}`,
          SVC_TOKEN: TOKEN,
          HOME: home,
        };
        const line = ["env", "exec", "--environment", "production", "--", "true"];
        const ran = await runCli(line, {
          fetch,
          env: { ...env, PATH: "/usr/bin:/bin" },
          cwd: folder,
        });
        assert.equal(ran.code, 0, ran.stderr);
        assert.match(
          ran.stderr,
          new RegExp(`API_URL: \\$\\{\\{backend\\.url\\}\\} is ${at("backend")}`),
        );
        assert.match(ran.stderr, /DB: \$\{\{db\.orders\.url\}\} is the connection string/);
        await runTool(["deploy", "--prod"], options);
        assert.equal((await platform.get("web.localhost", "/")).text, at("backend"));
        const { deployments } = await runTool(["deployments", "list"], options);
        assert.deepEqual(deployments[0].references[0], {
          variable: "API_URL",
          reference: "backend.url",
          value: at("backend"),
          changed: false,
        });
        const { variables } = await runTool(["env", "list", "--all"], options);
        const shown = variables.find(({ key }: { key: string }) => key === "API_URL");
        assert.equal(shown.value, "${{backend.url}}");
      }));

    await t.step(
      "a deployment that refers to a deleted project fails and names the project",
      async () => {
        assert.equal((await platform.api("DELETE", "/v1/projects/backend")).status, 204);
        const created = await platform.api("POST", "/v1/projects/web/deployments", {
          json: {
            environment: "production",
            manifest: { version: 1, layers: [], routes: [] },
            files: [],
          },
        });
        assert.equal(created.status, 409);
        assert.match(
          created.json.error,
          /Variable API_URL of project "web" refers to \$\{\{backend\.url\}\}: project "backend" does not exist/,
        );
        const built = await platform.build(hook, { "more.txt": "1" });
        assert.equal(built.status, "FAILED");
        assert.match(
          built.error ?? "",
          /The build cannot start: .*refers to \$\{\{backend\.url\}\}/,
        );
      },
    );
  }));
