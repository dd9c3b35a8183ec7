/**
 * Tests builds on a machine without a sandbox. A test cannot remove the sandbox from the machine,
 * so this one runs the platform in its own process and simulates the sandbox's absence.
 */
import assert from "node:assert/strict";
import { markedProcesses } from "../../../src/lib/marked_processes.ts";
import { textOf, withBuildsInProcess } from "../../helpers/git_builds.ts";

const SCRIPT = [
  "setsid sleep 876 >/dev/null 2>&1 &",
  "mkdir -p out; echo $SVC_BRANCH > out/index.html",
].join("\n");

const SETTINGS = { buildCommand: "sh build.sh", outputDirectory: "out" };

Deno.test("without a sandbox, builds are refused with advice", async () => {
  await withBuildsInProcess(async ({ project, build, log }) => {
    const { hook } = await project("shop", SETTINGS);
    const { status, error, id } = await build(hook, { "build.sh": SCRIPT });
    assert.equal(status, "FAILED");
    assert.match(error ?? "", /turned off.*--allow-unsandboxed-builds/);
    assert.match(textOf(await log(id)), /turned off/);
  }, { builds: { sandbox: "open" } });
});

Deno.test("builds run without a sandbox if the operator allows it, and leave nothing behind", async () => {
  await withBuildsInProcess(async ({ project, build, get, logged, dataDir }) => {
    const { hook } = await project("shop", SETTINGS);
    const { error, id } = await build(hook, { "build.sh": SCRIPT });
    assert.equal(error, null);
    assert.equal((await get("shop.localhost", "/")).text.trim(), "main");
    assert.deepEqual(await markedProcesses(`SVC_DEPLOYMENT_ID=${id}`), []);
    assert.deepEqual(await Array.fromAsync(Deno.readDir(`${dataDir}/builds`)), []);
    assert.ok(logged.some((line) => /without a sandbox/.test(line)));
  }, { builds: { sandbox: "open", allowUnsandboxed: true } });
});

Deno.test("a build without a sandbox that never ends is also killed", async () => {
  await withBuildsInProcess(async ({ project, build }) => {
    const { hook } = await project("shop", SETTINGS);
    const { error, id } = await build(hook, { "build.sh": "setsid sleep 876 & sleep 876" });
    assert.match(error ?? "", /longer than 3 seconds/);
    assert.deepEqual(await markedProcesses(`SVC_DEPLOYMENT_ID=${id}`), []);
  }, { builds: { sandbox: "open", allowUnsandboxed: true, limits: { timeMs: 3_000 } } });
});
