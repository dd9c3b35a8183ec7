/** The CLI's inputs and outputs must be consistent across all commands. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type JsonObject, oneObject, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

async function makeShop(box: Sandbox): Promise<void> {
  await box.start();
  await Deno.writeTextFile(join(box.site, "index.html"), "one");
  await box.json(["projects", "create", "shop", "--link"]);
}

Deno.test("names can be arguments or flags, and ls and list both list projects", () =>
  withSandbox(async (box) => {
    await makeShop(box);
    const names = async (words: string[]) =>
      ((await box.json(words)).projects as JsonObject[]).map(({ name }) => name);
    assert.deepEqual(await names(["ls"]), ["shop"]);
    assert.deepEqual(await names(["list"]), ["shop"]);
    await box.json(["environments", "create", "--name", "staging"]);
    const { environments } = await box.json(["environments", "list"]);
    assert.ok((environments as JsonObject[]).some(({ name }) => name === "staging"));
    const refused = await box.tool(["db", "info", "--database", "nothing", "--json"]);
    assert.match(String(oneObject(refused.stdout).error), /has no database/);
  }));

Deno.test("env validate uses SVC_ENVIRONMENT and the context", () =>
  withSandbox(async (box) => {
    await makeShop(box);
    const config = join(box.site, "svc.toml");
    const text = await Deno.readTextFile(config);
    await Deno.writeTextFile(config, `${text}\n[env.declarations]\nLEVEL = "plain"\n`);
    await box.json(["env", "set", "LEVEL", "--plain", "--value", "1", "--environment", "preview"]);
    const validate = async (args: string[] = [], env: Record<string, string> = {}) =>
      (await box.tool(["env", "validate", ...args], env)).code;
    assert.equal(await validate(), 1);
    assert.equal(await validate([], { SVC_ENVIRONMENT: "preview" }), 0);
    assert.equal(await validate([], { SVC_ENVIRONMENT: "production" }), 1);
    await box.json(["context", "use", "preview"]);
    assert.equal(await validate(), 0);
    assert.equal(await validate(["--all"]), 1);
  }));

Deno.test("deploy, build and init report what is missing", () =>
  withSandbox(async (box) => {
    const first = await box.tool(["init", "--name", "shop"]);
    assert.match(
      first.stderr,
      /Next: svc login, then svc projects create --name shop --link, then/,
    );
    await box.start();
    assert.match((await box.tool(["init"])).stderr, /Next: svc projects create --name shop --link/);
    await box.json(["projects", "create", "--name", "shop", "--link"]);
    assert.match((await box.tool(["init"])).stderr, /Next: svc deploy\n/);

    const build = oneObject((await box.tool(["builds", "start", "--json"])).stdout);
    assert.equal(build.error, "Project shop has no repository");
    assert.match(String(build.hint), /svc projects update shop --git-url <url>/);

    await Deno.writeTextFile(join(box.site, "index.html"), "one");
    await Deno.mkdir(join(box.site, "functions"));
    const code = 'export default () => new Response("hi");\n';
    await Deno.writeTextFile(join(box.site, "functions", "greet.ts"), code);
    const deployed = await box.tool(["deploy"]);
    assert.match(
      deployed.stderr,
      /Function greet never runs: no pipeline in svc\.rules\.toml uses it/,
    );
  }));
