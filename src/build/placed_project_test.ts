import assert from "node:assert/strict";
import { withTestProject } from "./_test_project.ts";
import { packProject } from "./pack_project.ts";

/** A project with a server and a start script. Git ignores its build. */
const PROJECT = {
  "package.json": JSON.stringify({
    scripts: { start: "node dist/index.js" },
    dependencies: { kept: "1" },
  }),
  ".gitignore": "dist/\nnotes.txt\n",
  ".env": "TOKEN=1",
  "notes.txt": "mine",
  "dist/index.js": "const http = require('http'); const load = (name) => require(name);\n" +
    "http.createServer((_, response) => response.end(load('./views/home.js')))" +
    ".listen(process.env.PORT); require('kept');",
  "dist/views/home.js": "module.exports = 'home';",
  "dist/.env.local": "TOKEN=2",
  "views/page.txt": "read when it runs",
  "node_modules/kept/package.json": '{"name":"kept","main":"index.js"}',
  "node_modules/kept/index.js": "",
  "functions/f.ts": "",
  "svc.toml": "",
};

Deno.test("packProject() deploys the build that a start script runs, even if git ignores it", async () => {
  const files = { ...PROJECT, "functions/f.ts": "export default () => new Response();" };
  await withTestProject(files, async ({ project, host, said }) => {
    const pack = await packProject(host, {
      directory: project,
      config: undefined,
      skipBuild: true,
    });
    const paths = pack.files.map(({ path }) => path);
    for (const path of ["dist/index.js", "dist/views/home.js", "views/page.txt", "package.json"]) {
      assert.ok(paths.includes(path), `${path} in ${paths.join(" ")}`);
    }
    assert.ok(paths.includes("node_modules/kept/index.js"), paths.join(" "));
    const lacking = /\.env|notes\.txt|^functions\/|svc\.toml|\.gitignore/;
    assert.deepEqual(paths.filter((path) => lacking.test(path)), []);
    assert.deepEqual(pack.servers.map(({ engine, reason }) => [engine, reason]), [
      ["node", "the project has a package.json"],
    ]);
    assert.ok(said.some((line) => line.includes("Skipped .env, dist/.env.local: such files")));
  });
});

Deno.test("packProject() prefers the platform's Node version to the project's", async () => {
  const files = { ...PROJECT, "functions/f.ts": "export default () => new Response();" };
  await withTestProject({ ...files, ".nvmrc": "24" }, async ({ project, host }) => {
    const options = { directory: project, config: undefined, skipBuild: true };
    for (const [setting, expected] of [["22.11.0", "22.11.0"], [null, "24"]] as const) {
      const pack = await packProject(host, { ...options, settings: { nodeVersion: setting } });
      assert.equal(pack.servers[0]?.nodeVersion, expected);
    }
  });
});
