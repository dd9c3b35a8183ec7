/** Checks that the commands suggested by errors run as printed, and that they solve the problem. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { type Bench, withPlatform } from "../_test_platform.ts";
import type { RunOptions } from "../_test_run.ts";

/** Returns the words into which a shell splits a line. */
async function words(line: string): Promise<string[]> {
  const script = `for word in ${line}; do printf '%s\\0' "$word"; done`;
  const { stdout, success } = await new Deno.Command("sh", { args: ["-c", script] }).output();
  assert.ok(success, line);
  return new TextDecoder().decode(stdout).split("\0").slice(1, -1);
}

/** Runs a failing command, and returns its suggestions, as JSON and as text. */
async function suggested(bench: Bench, argv: readonly string[], options: RunOptions = {}) {
  const { code, stdout } = await bench.run([...argv, "--json"], options);
  assert.notEqual(code, 0, stdout);
  const { next, error, hint } = JSON.parse(stdout);
  assert.ok(Array.isArray(next) && next.length > 0, stdout);
  const { stderr } = await bench.run(argv, options);
  for (const line of next) {
    assert.ok(line.includes(" --json"), line);
    assert.ok(!/[<>]/.test(line), `${line} has a placeholder`);
    assert.ok(stderr.includes(line.replace(" --json", "")), `people do not see ${line}`);
  }
  return { next: next as string[], error: String(error), hint: String(hint) };
}

/** Runs a suggestion, which must succeed. */
async function settles(bench: Bench, line: string | undefined, options: RunOptions = {}) {
  assert.ok(line);
  const outcome = await bench.run(await words(line), options);
  assert.equal(outcome.code, 0, `${line}: ${outcome.stdout}${outcome.stderr}`);
}

Deno.test("the suggestion for a taken name uses another name", () =>
  withPlatform(async (bench) => {
    await bench.json(["projects", "create", "--name", "blog"]);
    const argv = ["projects", "create", "--name", "blog", "--display-name", "It's a blog"];
    const { next, hint } = await suggested(bench, argv);
    assert.match(hint, /svc link --project-id blog/);
    assert.deepEqual(next, [
      "svc projects create --display-name 'It'\\''s a blog' --json --name blog-2",
    ]);
    for (const line of next) await settles(bench, line);
    const init = await suggested(bench, ["init", "--create", "--name", "blog"]);
    assert.equal(init.next[0], "svc init --create --json --name blog-3");
    await settles(bench, init.next[0]);
  }));

Deno.test("suggestions for an unlinked folder never change an existing project", () =>
  withPlatform(async (bench) => {
    await bench.json(["projects", "create", "--name", "blog"]);
    for (const argv of [["deploy", "--prod"], ["logs"], ["env", "list"], ["rollback"], ["link"]]) {
      const { next, hint } = await suggested(bench, argv);
      assert.deepEqual(next, [
        "svc projects list --json",
        "svc projects create --name my-site --link --json",
      ]);
      assert.match(hint, /--project-id: blog$/);
    }
    const elsewhere = await suggested(bench, ["deploy", bench.site, "--prod"], { cwd: "/" });
    const create = `svc projects create --name my-site --link --cwd ${bench.site} --json`;
    assert.equal(elsewhere.next[1], create);
    await settles(bench, create, { cwd: "/" });
    assert.match(await bench.read("svc.toml"), /name = "my-site"/);
  }));

Deno.test("the hint for a missing project names the one that was probably meant", () =>
  withPlatform(async (bench) => {
    await bench.json(["projects", "create", "--name", "blog"]);
    const { next, hint } = await suggested(bench, ["deploy", "--prod", "--project-id", "blogs"]);
    assert.match(hint, /Did you mean blog\?/);
    assert.deepEqual(next, [
      "svc projects list --json",
      "svc workspace list --json",
      "svc projects create --name blogs --link --json",
    ]);
    for (const line of next) await settles(bench, line);
  }));

Deno.test("the suggestions for a key from another workspace log in there, or list workspaces", () =>
  withPlatform(async (bench) => {
    const { next, error } = await suggested(bench, ["projects", "list", "--workspace", "acme"]);
    assert.match(error, /belongs to workspace "default", not "acme"/);
    assert.deepEqual(next, [
      "svc login --workspace acme --json",
      "svc workspace list --workspace acme --json",
    ]);
  }));

Deno.test("the suggestion lists deployments if there is nothing to roll back", () =>
  withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const none = await suggested(bench, ["rollback", "--project-id", "my-site"]);
    assert.deepEqual(none.next, ["svc deployments list --project-id my-site --json"]);
    for (const line of none.next) await settles(bench, line);
    await bench.json(["deploy", "--prod"]);
    const first = await suggested(bench, ["rollback"]);
    assert.match(first.error, /no earlier deployment to roll back to/);
  }));

Deno.test("the suggestion for a missing output builds it", () =>
  withPlatform(async (bench) => {
    await bench.json(["init", "--create", "--name", "my-site"]);
    await Deno.remove(join(bench.site, "index.html"));
    const source = await bench.read("svc.toml");
    const build = '[build]\ncommand = "mkdir -p out && echo hi > out/index.html"\n';
    await bench.write("svc.toml", `${source}\n${build}output_dirs = ["out"]\n`);
    const { next } = await suggested(bench, ["deploy", "--skip-build", "--message", "a b"]);
    assert.deepEqual(next, ["svc deploy --message 'a b' --json"]);
    await settles(bench, next[0]);
  }));

Deno.test("suggestions list environments, and repeat a command with the confirmation flag", () =>
  withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    const argv = ["env", "set", "KEY", "--plain", "--value", "v"];
    const set = await suggested(bench, argv);
    assert.match(set.hint, /--environment <name> or --all/);
    assert.deepEqual(set.next, ["svc environments list --json"]);
    await settles(bench, set.next[0]);
    await bench.json([...argv, "--all"]);
    const remove = await suggested(bench, ["env", "delete", "KEY"]);
    await settles(bench, remove.next[0]);
  }));

Deno.test("every suggestion includes the platform's URL and the project", () =>
  withPlatform(async (bench) => {
    await bench.json(["projects", "create", "--name", "blog"]);
    const { SVC_API_URL: url, ...env } = bench.env;
    const argv = ["env", "delete", "NONE", "--project-id", "blog", "--api-url", url!];
    const { next } = await suggested(bench, argv, { env });
    assert.deepEqual(next, [`svc env list --all --project-id blog --api-url ${url} --json`]);
    await settles(bench, next[0], { env });
  }));
