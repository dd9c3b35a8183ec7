/** Tests how an environment is chosen, and how a user enters a value. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Bench, withPlatform } from "../_test_platform.ts";
import { personWho } from "../_test_run.ts";

const SECRET = "correct-horse-battery-staple";

const withProject = (test: (bench: Bench) => Promise<void>) =>
  withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    await test(bench);
  });

Deno.test("--environment, SVC_ENVIRONMENT and context use accept an ID", () =>
  withProject(async (bench) => {
    const { environment } = await bench.json(["environments", "create", "staging"]);
    const { id } = environment as { id: string };
    const listed = async (argv: string[], env = {}) =>
      (await bench.json(["env", "list", ...argv], { env: { ...bench.env, ...env } })).environment;
    assert.equal(await listed(["--environment", id]), "staging");
    assert.equal(await listed([], { SVC_ENVIRONMENT: id }), "staging");
    await bench.json(["context", "use", id]);
    assert.equal(await listed([]), "staging");
    const deployed = await bench.json(["deploy", "--environment", id]);
    assert.equal(deployed.environment, "staging");
  }));

Deno.test("context use makes git ignore the context, but not the manifest", () =>
  withProject(async (bench) => {
    const git = (...args: string[]) => new Deno.Command("git", { args, cwd: bench.site }).output();
    await git("init", "--quiet");
    await bench.write(".gitignore", "node_modules/");
    await bench.json(["context", "use", "preview"]);
    await bench.json(["context", "use", "production"]);
    assert.equal(await bench.read(".gitignore"), "node_modules/\n/.svc/context.json\n");
    assert.equal((await git("check-ignore", ".svc/context.json")).code, 0);
    assert.equal((await git("check-ignore", ".svc/manifest.json")).code, 1);
  }));

Deno.test("a folder's context applies to its subfolders", () =>
  withProject(async (bench) => {
    await bench.json(["context", "use", "preview"]);
    const below = join(bench.site, "src");
    await Deno.mkdir(below);
    const { environment } = await bench.json(["context", "show"], { cwd: below });
    assert.equal(environment, "preview");
  }));

Deno.test("the context is not deployed", () =>
  withProject(async (bench) => {
    await bench.json(["context", "use", "preview"]);
    const { files } = await bench.json(["deploy", "--dry-run"]);
    assert.deepEqual((files as { path: string }[]).map(({ path }) => path), ["index.html"]);
  }));

Deno.test("a typed value is hidden, even with --stdin on a terminal", () =>
  withProject(async (bench) => {
    for (const flags of [["--secret"], ["--secret", "--stdin"]]) {
      const person = personWho([SECRET]);
      const run = await bench.run(["env", "set", "KEY", ...flags, "--all"], {
        prompter: person,
        terminal: true,
      });
      assert.equal(run.code, 0, run.stderr);
      assert.deepEqual(person.asked, ["Value of KEY"]);
    }
    const person = personWho(["production", "info"]);
    const run = await bench.run(["env", "set", "LEVEL", "--plain"], { prompter: person });
    assert.equal(run.code, 0, run.stderr);
    assert.deepEqual(person.asked, ["Which environments should get it?", "Value of LEVEL"]);
    const { variables } = await bench.json(["env", "list", "--environment", "production"]);
    const level = (variables as { key: string; value: string }[]).find(({ key }) =>
      key === "LEVEL"
    );
    assert.equal(level?.value, "info");
  }));

Deno.test("--stdin uses piped input even if a user is present", () =>
  withProject(async (bench) => {
    const run = await bench.run(["env", "set", "KEY", "--plain", "--stdin", "--all"], {
      prompter: personWho([]),
      stdin: "line one\nline two\r\n",
    });
    assert.equal(run.code, 0, run.stderr);
    const { variables } = await bench.json(["env", "list"]);
    assert.equal((variables as { value: string }[])[0]?.value, "line one\nline two");
  }));
