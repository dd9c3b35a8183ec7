/** Creates an API key with limits in the CLI, and then uses, changes and revokes the key. */
import assert from "node:assert/strict";
import { join } from "node:path";
import type { ApiKey } from "../../src/contract/api_keys.ts";
import { callTool } from "../../scripts/_program.ts";
import { oneObject, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const DAY_MS = 24 * 60 * 60 * 1000;

async function keyCalled(box: Sandbox, wanted: string): Promise<ApiKey | undefined> {
  const { keys } = await box.json(["keys", "list"]) as unknown as { keys: ApiKey[] };
  return keys.find(({ name }) => name === wanted);
}

Deno.test("svc keys creates a key with limits, shows its last use, and revokes it", () =>
  withSandbox(async (box) => {
    await box.start();
    await Deno.writeTextFile(join(box.site, "index.html"), "by a key");
    await box.json(["init", "--create", "--name", "shop"]);
    await box.json(["projects", "create", "--name", "blog"]);
    const { key, apiKey } = await box.json([
      "keys",
      "create",
      "ci",
      "--permission",
      "deploy-previews",
      "--permission",
      "read",
      "--project",
      "shop",
      "--expires",
      "30d",
      "--description",
      "branches",
    ]) as unknown as { key: string; apiKey: ApiKey };
    assert.equal(apiKey.projects?.length, 1);
    const lives = Date.parse(apiKey.expiresAt!) - Date.now();
    assert.ok(Math.abs(lives - 30 * DAY_MS) < DAY_MS, apiKey.expiresAt!);
    assert.equal((await keyCalled(box, "ci"))?.lastUsedAt, null);

    const byKey = async (args: readonly string[]) => {
      const env = { ...box.env, SVC_TOKEN: key };
      return oneObject((await callTool([...args, "--json"], { cwd: box.site, env })).stdout);
    };
    assert.equal((await byKey(["deploy"])).status, "LIVE");
    assert.match(String((await byKey(["deploy", "--prod"])).error), /"deploy-production"/);
    const { stderr } = await box.tool(["db", "create"], { SVC_TOKEN: key });
    assert.match(
      stderr,
      /it has "deploy-previews", "read" in one project, and lacks [^]*everything/,
    );
    assert.match(stderr, /^hint: See the permissions of a key with svc whoami\./m);
    const { projects } = await byKey(["projects", "list"]) as { projects: { name: string }[] };
    assert.deepEqual(projects.map(({ name }) => name), ["shop"]);
    const used = await keyCalled(box, "ci");
    assert.ok(used !== undefined && used.lastUsedAt !== null);
    assert.match(used.lastAddress ?? "", /^127\.0\.0\.1$|^::1$/);
    assert.equal(used.description, "branches");

    await box.json(["keys", "update", "ci", "--permission", "read", "--expires", "never"]);
    assert.match(String((await byKey(["deploy"])).error), /lacks the permission/);
    assert.equal((await keyCalled(box, "ci"))?.expiresAt, null);
    await box.json(["keys", "revoke", "ci", "--force"]);
    assert.equal(await keyCalled(box, "ci"), undefined);
    assert.equal((await byKey(["whoami"])).code, "unauthorized");
  }));
