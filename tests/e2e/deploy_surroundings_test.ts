/** Deploys in the environments in which the CLI is used: terminals and scripts. */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { needs, testNeeding } from "../helpers/empty_root.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { programCommand } from "../../scripts/_program.ts";

const HOST = "folder.localhost";

async function begin(box: Sandbox, files: Readonly<Record<string, string>>): Promise<void> {
  for (const [path, text] of Object.entries(files)) {
    await Deno.mkdir(dirname(join(box.site, path)), { recursive: true });
    await Deno.writeTextFile(join(box.site, path), text);
  }
  await box.start();
  await box.json(["init", "--create", "--name", "folder"]);
}

Deno.test({
  name: "development dependencies are installed regardless of NODE_ENV in the terminal",
  ...needs("npm"),
  fn: async () => {
    await withSandbox(async (box) => {
      await begin(box, {
        "package.json": JSON.stringify({
          devDependencies: { tool: "file:./tool" },
          scripts: { build: "node build.cjs" },
        }),
        "tool/package.json": JSON.stringify({ name: "tool", version: "1.0.0" }),
        "tool/index.js": "module.exports = (env) => `built with ${env}`;",
        "build.cjs": `const fs = require("fs");
fs.mkdirSync("dist", { recursive: true });
fs.writeFileSync("dist/index.html", require("tool")(process.env.NODE_ENV));`,
      });
      const surroundings = { NODE_ENV: "production", NPM_CONFIG_OMIT: "dev" };
      const { code, stderr } = await box.tool(["deploy", "--prod"], surroundings);
      assert.equal(code, 0, stderr);
      assert.equal((await box.page(HOST, "/")).text, "built with production");
    });
  },
});

Deno.test("a package.json that is not JSON is reported", async () => {
  await withSandbox(async (box) => {
    await begin(box, { "index.html": "home" });
    const broken: Readonly<Record<string, RegExp>> = {
      '{\n  "scripts": {},\n}': /Fix package\.json: it is not valid JSON: line 3, column 1: /,
      "<<<<<<< HEAD\n{}": /Fix package\.json: it is not valid JSON: line 1, column 1: /,
      "[]": /Fix package\.json: it must contain a JSON object/,
    };
    for (const [text, message] of Object.entries(broken)) {
      await Deno.writeTextFile(join(box.site, "package.json"), text);
      const { code, stderr } = await box.tool(["deploy", "--prod"]);
      assert.notEqual(code, 0);
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /output directory/);
    }
  });
});

testNeeding("sh")(
  "a log that the command itself writes to the folder is left out and reported",
  async () => {
    await withSandbox(async (box) => {
      await begin(box, { "index.html": "home" });
      const script = '"$@" >deploy.log 2>errors.txt';
      const { code } = await new Deno.Command("/bin/sh", {
        args: ["-c", script, "sh", ...programCommand(), "deploy", "--prod"],
        env: box.env,
        cwd: box.site,
        clearEnv: true,
      }).output();
      const errors = await Deno.readTextFile(join(box.site, "errors.txt"));
      assert.equal(code, 0, errors);
      assert.match(
        errors,
        /Skipped deploy\.log, errors\.txt: this command writes its output there/,
      );
      assert.equal((await box.page(HOST, "/")).text, "home");
      for (const path of ["/deploy.log", "/errors.txt"]) {
        assert.equal((await box.page(HOST, path)).status, 404, path);
      }
    });
  },
);
