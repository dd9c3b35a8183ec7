/** Tests start scripts from `svc deploy` to the response, and messages about failures. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { NODE_MAJOR } from "../helpers/compute_server.ts";
import { needs } from "../helpers/empty_root.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const HOST = "folder.localhost";

async function write(box: Sandbox, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(box.site, path)), { recursive: true });
    await Deno.writeTextFile(join(box.site, path), text);
  }
}

const SERVER = `import { createServer } from "node:http";
createServer((request, response) => response.end(JSON.stringify({
  greeting: process.env.GREETING ?? null,
  prepared: globalThis.prepared ?? false,
  loud: process.argv.includes("--loud"),
}))).listen(process.env.PORT);`;

const packageJson = (scripts: Readonly<Record<string, string>>) =>
  JSON.stringify({
    name: "folder",
    private: true,
    type: "module",
    scripts,
    engines: { node: NODE_MAJOR },
    devDependencies: { "with-env": "file:./with-env" },
  });

const RIGHT = { greeting: "hello", prepared: true, loud: true };

Deno.test({
  name: "a script starts a deployed server, and a failure shows its last lines",
  ...needs("npm"),
  fn: () =>
    withSandbox(async (box) => {
      await write(box, {
        "server.js": SERVER,
        "setup.js": "globalThis.prepared = true;",
        "with-env/package.json": JSON.stringify({
          name: "with-env",
          version: "1.0.0",
          bin: { "with-env": "run.cjs" },
        }),
        "with-env/run.cjs": `#!/usr/bin/env node
const [setting, command, ...args] = process.argv.slice(2);
const [name, value] = setting.split("=");
require("node:child_process").spawn(command, args, {
  stdio: "inherit",
  env: { ...process.env, [name]: value },
}).on("exit", (code) => process.exit(code));`,
        "package.json": packageJson({
          prestart: "node --check server.js",
          start: "with-env GREETING=hello node --import ./setup.js server.js --loud",
        }),
      });
      await box.start();
      await box.json(["init", "--create", "--name", "folder"]);
      const { code, stderr } = await box.tool(["deploy", "--prod"]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /Its start command is npm start/);
      assert.match(stderr, /No lock file pins the package versions/);
      assert.deepEqual(JSON.parse((await box.page(HOST, "/")).text), RIGHT);

      await write(box, {
        "package.json": packageJson({ start: "node starter.js" }),
        "starter.js": `import { createServer } from "node:http";
import { answer } from "./answer.js";
createServer(async (_, response) => response.end(await answer())).listen(process.env.PORT);`,
        "answer.js": `import { execFile } from "node:child_process";
export const answer = () => new Promise((resolve) =>
  execFile("node", ["-p", "6 * 7"], (error, stdout) => resolve(stdout.trim() || String(error))));`,
      });
      const starting = await box.tool(["deploy", "--prod"]);
      assert.match(starting.stderr, /Its start command is npm start/);
      assert.equal((await box.page(HOST, "/")).text, "42");

      await write(box, {
        "svc.toml": `${await Deno.readTextFile(join(box.site, "svc.toml"))}
[server]
command = "GREETING=hello exec node --import ./setup.js server.js --loud"
start_timeout = "20s"
health_path = "/healthz"
`,
      });
      const written = await box.tool(["deploy", "--prod"]);
      assert.equal(written.code, 0, written.stderr);
      assert.match(written.stderr, /Its start command is GREETING=hello exec node/);
      assert.deepEqual(JSON.parse((await box.page(HOST, "/")).text), RIGHT);

      const broken = `for (let line = 1; line <= 30; line++) console.log("line " + line);
throw new Error("no database");`;
      await write(box, { "setup.js": broken });
      const failed = await box.tool(["deploy", "--prod"]);
      assert.equal(failed.code, 1);
      assert.match(failed.stderr, /The server's last lines:\n {2}.*\n(?: {2}.*\n)*.*no database/);
      assert.match(failed.stderr, /svc logs --deployment-id [\w-]{36}/);
      const { stdout } = await box.tool(["deploy", "--prod", "--json"]);
      const { serverOutput, next, deployment } = JSON.parse(stdout);
      assert.equal(serverOutput.length, 20);
      assert.match(serverOutput.join("\n"), /Error: no database/);
      assert.equal(next[0], `svc logs --deployment-id ${deployment.id} --json`);
      await until(
        () => box.tool(["logs", "--deployment-id", deployment.id]),
        ({ stdout, stderr }) => /line 30/.test(stdout + stderr),
      );
    }),
});
