/**
 * Tests the cleanup of folders that a killed platform or command left outside the data directory.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { startTool } from "../../scripts/_program.ts";
import { until } from "../../src/lib/_test_until.ts";
import { withSandbox } from "../helpers/sandbox.ts";

const HOST = "kiosk.localhost";
const OTHER = "svc-fn-0123456789abcdef-other";
const FILES: Readonly<Record<string, string>> = {
  "index.html": "hi",
  "functions/hello.js": "export default () => new Response('called')",
  "svc.rules.toml": `
schemaVersion = "EDGE_RULE_SET_V1"
[[rules]]
id = "api"
condition.path = { type = "prefix", value = "/api" }
action = { type = "pipeline", steps = [{ handle = "hello" }] }
`,
};

const leftIn = async (folder: string): Promise<readonly string[]> =>
  (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name)
    .filter((name) => name.startsWith("svc-fn-"));

Deno.test("the next start removes folders left by the functions of a killed platform", () =>
  withSandbox(async (box) => {
    const temporary = join(box.folder, "tmp");
    await Deno.mkdir(join(temporary, OTHER), { recursive: true });
    box.env.TMPDIR = temporary;
    await box.start();
    for (const [path, text] of Object.entries(FILES)) {
      await Deno.mkdir(join(box.site, path, ".."), { recursive: true });
      await Deno.writeTextFile(join(box.site, path), text);
    }
    await box.json(["init", "--name", "kiosk", "--create"]);
    await box.json(["deploy", "--prod"]);
    assert.match((await box.page(HOST, "/api")).text, /called/);
    const [before = "", ...others] = (await leftIn(temporary)).filter((name) => name !== OTHER);
    assert.match(before, /^svc-fn-[0-9a-f]{16}-/);
    assert.deepEqual(others, []);
    await box.platform!.kill();
    // A function process that notices in time that the platform is gone removes its folder. A
    // killed process does not.
    await Deno.mkdir(join(temporary, before), { recursive: true });
    await box.start();
    assert.ok(!(await leftIn(temporary)).includes(before));
    assert.match((await box.page(HOST, "/api")).text, /called/);
    await box.platform!.stop();
    assert.deepEqual(await leftIn(temporary), [OTHER], "another platform's folder is kept");
  }));

/** Makes a folder appear to have been created two minutes ago. */
async function age(folder: string): Promise<void> {
  const then = new Date(Date.now() - 120_000);
  await Deno.utime(folder, then, then);
}

Deno.test("the next start removes the temporary folders of killed commands, and no others", () =>
  withSandbox(async (box) => {
    const temporary = join(box.folder, "tmp");
    await Deno.mkdir(temporary);
    box.env.TMPDIR = temporary;
    await Deno.writeTextFile(join(box.site, "index.html"), "hi");
    await box.tool(["init", "--name", "kiosk"]);
    const preview = startTool(["preview", "--port", "0"], { cwd: box.site, env: box.env });
    const [left = ""] = await until(
      async () =>
        (await Array.fromAsync(Deno.readDir(temporary))).map(({ name }) => name)
          .filter((name) => name.startsWith("svc-preview-")),
      ({ length }) => length > 0,
    );
    await until(() => Deno.stat(join(temporary, left, "data")).then(() => true, () => false));
    preview.kill();
    await preview.result;
    const names = ["svc-store-running", "svc-store-foreign"];
    for (const name of names) await Deno.mkdir(join(temporary, name));
    using held = await Deno.open(join(temporary, names[0]!, ".svc-in-use"), {
      create: true,
      read: true,
      write: true,
    });
    assert.ok(await held.tryLock(true));
    for (const name of [left, ...names]) await age(join(temporary, name));
    await box.start();
    for (const name of names) assert.ok((await Deno.stat(join(temporary, name))).isDirectory);
    await assert.rejects(Deno.stat(join(temporary, left)), Deno.errors.NotFound);
    await box.platform!.stop();
  }));
