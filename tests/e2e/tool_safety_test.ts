/**
 * The CLI must change nothing that the user did not name, and must not pass on svc's own
 * credentials.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { hostOf, oneObject, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

/** Returns the words after `svc` in a suggested command, which contains no quotes. */
const wordsOf = (line: string) => line.split(" ").slice(1);

async function failure(box: Sandbox, args: readonly string[]) {
  const { code, stdout } = await box.tool([...args, "--json"]);
  assert.notEqual(code, 0, stdout);
  return oneObject(stdout) as { readonly next: readonly string[]; readonly hint: string };
}

Deno.test("the suggestions after a failed deployment leave other projects unchanged", () =>
  withSandbox(async (box) => {
    await box.start();
    await Deno.writeTextFile(join(box.site, "index.html"), "the shop");
    await box.json(["init", "--name", "shop", "--create"]);
    const { urls } = await box.json(["deploy", "--prod"]) as { urls: { production: string } };

    box.site = join(box.folder, "other");
    await Deno.mkdir(box.site);
    await Deno.writeTextFile(join(box.site, "index.html"), "something else");
    const unlinked = await failure(box, ["deploy", "--prod"]);
    const misnamed = await failure(box, ["deploy", "--prod", "--project-id", "shp"]);
    for (const line of [...unlinked.next, ...misnamed.next]) {
      await box.tool(wordsOf(line));
      assert.ok(!line.includes("shop"), line);
    }
    assert.match(misnamed.hint, /Did you mean shop\?/);
    const shown = await box.page(hostOf(urls.production), "/");
    assert.equal(shown.text, "the shop");
  }));

Deno.test("an empty value is stored only if it is explicitly requested", () =>
  withSandbox(async (box) => {
    await box.start();
    await box.json(["init", "--name", "shop", "--create"]);
    const config = join(box.site, "svc.toml");
    const text = await Deno.readTextFile(config);
    await Deno.writeTextFile(config, `${text}\n[env.declarations]\nLEVEL = "plain"\n`);
    // The CLI's standard input is empty here.
    const refused = await box.tool(["env", "set", "LEVEL", "--stdin", "--all"]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /To store an empty value, use --allow-empty/);
    assert.equal((await box.tool(["env", "validate"])).code, 1);
    await box.json(["env", "set", "LEVEL", "--value", "", "--all", "--allow-empty"]);
    assert.equal((await box.tool(["env", "validate"])).code, 0);
  }));

Deno.test("the CLI's child processes do not get svc's credentials", () =>
  withSandbox(async (box) => {
    await box.start();
    const own = {
      SVC_BOOTSTRAP_TOKEN: "svc_planted_1",
      SVC_EDGE_KEY: "svc_planted_2",
      OWN: "kept",
    };
    const seen = async () => (await Deno.readTextFile(join(box.folder, "seen"))).trim().split("\n");
    const assertClean = async () => {
      const lines = await seen();
      assert.ok(lines.includes("OWN=kept"), lines.join("\n"));
      assert.deepEqual(lines.filter((line) => /svc_planted|SVC_TOKEN|svc_e2e/.test(line)), []);
    };
    await Deno.writeTextFile(join(box.site, "index.html"), "hello");
    await box.json(["init", "--name", "shop", "--create"]);

    const command = `env > ../seen; mkdir -p out; cp index.html out/`;
    const built = await box.tool(["deploy", "--build-command", command], own);
    assert.equal(built.code, 0, built.stderr);
    await assertClean();
    await Deno.remove(join(box.folder, "seen"));
    const exec = ["env", "exec", "--environment", "preview", "--", "sh", "-c", "env > ../seen"];
    assert.equal((await box.tool(exec, own)).code, 0);
    await assertClean();
    await Deno.remove(join(box.folder, "seen"));
    const server = "env > ../seen; kill -TERM $PPID; sleep 60";
    await box.tool(["dev", "--command", server, "--port", "0"], own);
    await assertClean();
  }));
