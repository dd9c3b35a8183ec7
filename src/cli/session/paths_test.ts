import assert from "node:assert/strict";
import { join } from "node:path";
import { type Bench, withPlatform } from "../_test_platform.ts";
import { personWho, type RunOptions } from "../_test_run.ts";

/** A folder in which even the superuser cannot create files. */
const NOBODY_WRITES_HERE = "/sys";

/** Creates a `fetch` that records the requests to the platform. */
function watched() {
  const asked: string[] = [];
  const watch: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    asked.push(`${init?.method ?? "GET"} ${new URL(String(input)).pathname}`);
    return response;
  };
  return { asked, fetch: watch };
}

/** Runs a command, which must fail before it sends any request. */
async function refused(bench: Bench, argv: readonly string[], options: RunOptions = {}) {
  const { asked, fetch } = watched();
  const { code, stdout } = await bench.run([...argv, "--json"], { fetch, ...options });
  const told = JSON.parse(stdout);
  assert.equal(code, 1, stdout);
  assert.deepEqual(asked, []);
  assert.doesNotMatch(stdout, /os error|\bE[A-Z]{3,}\b/);
  assert.ok(typeof told.hint === "string" || /Repair the file/.test(told.error), stdout);
  return told;
}

async function projectNames(bench: Bench): Promise<string[]> {
  const { projects } = await bench.json(["projects", "list"]);
  return (projects as { name: string }[]).map(({ name }) => name);
}

const LOGIN_COMMANDS = [["login"], ["workspace", "switch", "default"]];

for (const argv of LOGIN_COMMANDS) {
  const name = `svc ${argv.join(" ")}`;

  Deno.test(`${name} sends no request if the credentials folder is not writable`, () =>
    withPlatform(async (bench) => {
      const home = bench.env.HOME!;
      await Deno.mkdir(home);
      await Deno.symlink(NOBODY_WRITES_HERE, join(home, ".config"));
      const { code, error } = await refused(bench, argv);
      assert.equal(code, "not_writable");
      assert.ok(error.startsWith(`Cannot write ${home}/.config/svc/credentials.json`), error);
      assert.match(error, /: this user has no permission$|: the file system is read-only$/);
    }));

  Deno.test(`${name} sends no request if the credentials file is not readable`, () =>
    withPlatform(async (bench) => {
      const file = join(bench.env.HOME!, ".config", "svc", "credentials.json");
      await Deno.mkdir(file, { recursive: true });
      const { code, error } = await refused(bench, argv);
      assert.equal(code, "credentials_invalid");
      assert.ok(error.includes(`${file}: it cannot be read: it is a folder, not a file`), error);
    }));

  Deno.test(`${name} sends no request without a home folder`, () =>
    withPlatform(async (bench) => {
      const { HOME: _, ...env } = bench.env;
      const { error } = await refused(bench, argv, { env });
      assert.match(error, /^HOME is not set/);
    }));
}

const BINDING_COMMANDS = [
  ["init", "--create"],
  ["link", "--project-id", "other"],
  ["projects", "create", "--name", "made", "--link"],
];

for (const argv of BINDING_COMMANDS) {
  Deno.test(`svc ${argv.join(" ")} creates nothing if the folder is not writable`, () =>
    withPlatform(async (bench) => {
      await bench.json(["projects", "create", "--name", "other"]);
      await bench.write(".svc", "a file instead of the schema's folder");
      const { code, error } = await refused(bench, argv);
      assert.equal(code, "not_writable");
      assert.match(error, /^Cannot write \.svc\/\S+: a part of its path is a file/);
      assert.deepEqual(await projectNames(bench), ["other"]);
    }));
}

Deno.test("svc deploy creates no project for a user if the folder is not writable", () =>
  withPlatform(async (bench) => {
    await bench.write(".svc", "a file instead of the schema's folder");
    const { code, stderr } = await bench.run(["deploy"], { prompter: personWho([]) });
    assert.equal(code, 1);
    assert.match(stderr, /Cannot write \.svc\//);
    assert.deepEqual(await projectNames(bench), []);
  }));

Deno.test("svc context use sends no request if the context cannot be stored", () =>
  withPlatform(async (bench) => {
    await bench.json(["init", "--create"]);
    await Deno.remove(join(bench.site, ".svc"), { recursive: true });
    await bench.write(".svc", "a file in the way");
    const { code, hint } = await refused(bench, ["context", "use", "preview"]);
    assert.equal(code, "not_writable");
    assert.match(hint, /SVC_ENVIRONMENT/);
  }));
