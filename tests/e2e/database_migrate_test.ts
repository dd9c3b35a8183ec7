/** Tests `[db] migrate`: the database changes before the deployment goes live. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../../scripts/_source_files.ts";
import { git } from "../../src/lib/_test_git.ts";
import { callApi, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

/** Runs `migration.sql` once. Errors are written to standard error. */
const MIGRATE = `
import { readFile } from "node:fs/promises";
import postgres from "postgres";
const sql = postgres(process.env.DATABASE_URL, { max: 1, onnotice: () => {} });
try {
  await sql.unsafe(await readFile("migration.sql", "utf8"));
} catch (error) {
  console.error("cannot migrate: " + error.message);
  process.exitCode = 3;
}
await sql.end();
`;

async function pack(contents: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    write: false,
    platform: "node",
    format: "esm",
    logLevel: "silent",
  });
  return outputFiles[0]!.text;
}

const write = (box: Sandbox, name: string, text: string) =>
  Deno.writeTextFile(join(box.site, name), text);

async function columns(box: Sandbox, branch: string): Promise<string> {
  const sql = `SELECT string_agg(attname, ',' ORDER BY attnum) FROM pg_attribute
    WHERE attrelid = to_regclass('boats') AND attnum > 0`;
  const { stdout } = await box.tool(["db", "query", "--branch", branch, "--csv", sql]);
  return stdout.trim().split("\n").at(-1)!.replaceAll('"', "");
}

async function deploy(box: Sandbox, ...args: string[]) {
  const { code, stdout, stderr } = await box.tool(["deploy", "--json", ...args]);
  return { code, stdout, stderr };
}

async function push(box: Sandbox, branch: string) {
  await git(box.site, "add", "--all");
  await git(box.site, "commit", "--quiet", "--allow-empty", "--message", "Change");
  const { code, stderr } = await new Deno.Command("git", {
    args: ["-C", box.site, "push", "svc", `HEAD:${branch}`],
    env: { ...box.env, GIT_TERMINAL_PROMPT: "0" },
    clearEnv: true,
  }).output();
  return { code, said: new TextDecoder().decode(stderr) };
}

Deno.test("a migration runs before a deployment goes live, and a failure shows its last lines", () =>
  withSandbox(async (box) => {
    await Deno.chmod(box.folder, 0o755);
    await box.start();
    await git(box.site, "init", "--quiet", "--initial-branch=main");
    await box.json(["projects", "create", "--name", "boats", "--link"]);
    await box.json(["link", "--git-remote"]);
    await box.json(["db", "create", "--name", "boats", "--wait"]);
    const config = await Deno.readTextFile(join(box.site, "svc.toml"));
    await write(
      box,
      "svc.toml",
      `${config}\n[db]\npreview = "copy"\nmigrate = "node migrate.mjs"\n`,
    );
    await write(box, "index.html", "<h1>Boats</h1>");
    await write(box, "migrate.mjs", await pack(MIGRATE));

    await write(box, "migration.sql", "CREATE TABLE boats (id int)");
    const first = await deploy(box, "--prod");
    assert.equal(first.code, 0, first.stdout + first.stderr);
    assert.equal(await columns(box, "main"), "id");

    await write(box, "migration.sql", "ALTER TABLE boats ADD COLUMN name text");
    const preview = await deploy(box, "--branch", "name");
    assert.equal(preview.code, 0, preview.stdout + preview.stderr);
    assert.equal(await columns(box, "preview/name"), "id,name");
    assert.equal(await columns(box, "main"), "id", "production keeps its schema");
    const shown = JSON.parse(preview.stdout);
    assert.equal(shown.migration, "changed");
    assert.deepEqual(shown.schemaDifference, {
      database: "boats",
      branch: "preview/name",
      changes: [{ change: "added", kind: "column", name: "public.boats.name" }],
      total: 1,
    });
    const promoted = await box.tool(["promote", shown.id, "--json"]);
    assert.notEqual(promoted.code, 0, promoted.stdout);
    assert.match(promoted.stdout, /its migration has not run on production's database yet/);

    const again = await deploy(box, "--branch", "name");
    assert.notEqual(again.code, 0, again.stdout);
    assert.match(
      again.stdout,
      /The database migration failed\. It exited with code 3: cannot migrate: column \\"name\\" of relation \\"boats\\" already exists/,
    );
    const { items } = await callApi(box, "GET", "/v1/projects/boats/deployments");
    assert.equal(items[0].status, "FAILED", "the deployment stays failed");

    const pushed = await push(box, "sails");
    assert.equal(pushed.code, 0, pushed.said);
    assert.match(pushed.said, /sails is live at/);
    assert.equal(await columns(box, "preview/sails"), "id,name");
    assert.match(
      pushed.said,
      /1 difference of the database schema from main to preview\/sails\s+remote: svc: \+ column public\.boats\.name/,
    );
    const failed = await push(box, "sails");
    assert.notEqual(failed.code, 0, failed.said);
    assert.match(failed.said, /code 3: cannot migrate: column "name" of relation/);

    const second = await deploy(box, "--prod");
    assert.equal(second.code, 0, second.stdout + second.stderr);
    assert.equal(await columns(box, "main"), "id,name");
    const { newerSchema } = await box.json(["rollback"]);
    assert.deepEqual(
      newerSchema,
      [JSON.parse(second.stdout).id],
      "the rollback keeps and reports the newer schema",
    );

    // Of two deployments that start at the same time, the second waits for the first.
    const slow = "SELECT pg_sleep(2); CREATE TABLE once (id int)";
    await write(box, "migration.sql", slow);
    const both = await Promise.all([
      deploy(box, "--branch", "both"),
      deploy(box, "--branch", "both"),
    ]);
    assert.deepEqual(both.map(({ code }) => code === 0).sort(), [false, true]);
    const late = both.find(({ code }) => code !== 0)!;
    assert.match(late.stdout, /relation \\"once\\" already exists/);
    assert.equal(await box.platform!.stop(), 0);
  }));
