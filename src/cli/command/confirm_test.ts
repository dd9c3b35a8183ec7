import assert from "node:assert/strict";
import { personWho, runCli, type RunOptions } from "../_test_run.ts";

const folder = await Deno.makeTempDir({ prefix: "svc-confirm-" });
globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

/** Imports rules and replaces an existing file. Returns how the command exited. */
async function replace(argv: readonly string[], options: RunOptions = {}) {
  await Deno.writeTextFile(`${folder}/_redirects`, "/old /new 301\n");
  await Deno.writeTextFile(`${folder}/out.toml`, "# mine\n");
  const line = ["rules", "import", "_redirects", "--output", "out.toml", ...argv];
  const { code, stderr } = await runCli(line, { cwd: folder, ...options });
  const isReplaced = await Deno.readTextFile(`${folder}/out.toml`) !== "# mine\n";
  return { code, stderr, isReplaced };
}

Deno.test("confirm() names the command with --force if no one can be asked", async () => {
  const { code, stderr, isReplaced } = await replace([]);
  assert.deepEqual([code, isReplaced], [1, false]);
  assert.match(stderr, /svc rules import _redirects --output out\.toml --force/);
});

Deno.test("confirm() accepts --force and --yes as yes", async () => {
  for (const flag of ["--force", "--yes", "-y"]) {
    const { code, isReplaced } = await replace([flag]);
    assert.deepEqual([code, isReplaced], [0, true], flag);
  }
});

Deno.test("confirm() asks a person, and does nothing if they answer no", async () => {
  const no = personWho([false]);
  const { code, isReplaced } = await replace([], { prompter: no });
  assert.deepEqual([code, isReplaced, no.asked], [1, false, ["Replace out.toml?"]]);
  const yes = await replace([], { prompter: personWho([true]) });
  assert.deepEqual([yes.code, yes.isReplaced], [0, true]);
});
