/**
 * Pushes a project that renders the content of its injected database: to production, and to a git
 * branch whose preview has its own database branch. The build runs the migrations.
 * `DATABASE_TESTS=all` also runs the test with a PostgreSQL server.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { build } from "esbuild";
import { ROOT } from "../../scripts/_source_files.ts";
import { NO_POSTGRES } from "../../src/database/server/_test_server.ts";
import { git } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { NODE_MAJOR } from "../helpers/compute_server.ts";
import { isEmpty } from "../helpers/empty_root.ts";
import { hostOf, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const ENGINES: Readonly<Record<string, readonly string[]>> = {
  embedded: [],
  server: ["--postgres", "local"],
};

const SERVER = `
import { createServer } from "node:http";
import postgres from "postgres";
const sql = postgres(process.env.DATABASE_URL, { max: 2 });
createServer(async (request, response) => {
  if (request.method === "POST") {
    let text = "";
    for await (const chunk of request) text += chunk;
    await sql\`INSERT INTO notes (text) VALUES (\${text})\`;
  }
  const notes = await sql\`SELECT text FROM notes ORDER BY id\`;
  response.setHeader("content-type", "text/html");
  response.end("<ul>" + notes.map(({ text }) => "<li>" + text + "</li>").join("") + "</ul>");
}).listen(process.env.PORT, process.env.HOST);
`;

/**
 * The build command, which runs the statements in \`migrations.sql\`. All of them can be run again.
 */
const MIGRATE = `
import { readFile } from "node:fs/promises";
import postgres from "postgres";
const sql = postgres(process.env.DATABASE_URL, { max: 1, onnotice: () => {} });
await sql.unsafe(await readFile("migrations.sql", "utf8"));
await sql.end();
`;

const NOTES =
  "CREATE TABLE IF NOT EXISTS notes (id int GENERATED ALWAYS AS IDENTITY, text text);\n";

/**
 * Bundles a module with the packages that it imports, so that the build does not have to install
 * them.
 */
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

async function writeProject(folder: string): Promise<void> {
  const files = {
    "package.json": JSON.stringify({
      name: "notes",
      private: true,
      type: "module",
      engines: { node: NODE_MAJOR },
      scripts: { build: "node migrate.js", start: "node server.js" },
    }),
    "server.js": await pack(SERVER),
    "migrate.js": await pack(MIGRATE),
    "migrations.sql": NOTES,
  };
  for (const [name, text] of Object.entries(files)) {
    await Deno.writeTextFile(join(folder, name), text);
  }
}

/** Runs the real git client as a user would. Returns its output. */
async function push(box: Sandbox, ...args: string[]): Promise<string> {
  const { code, stderr } = await new Deno.Command("git", {
    args: ["-C", box.site, "push", "svc", ...args],
    env: { ...box.env, GIT_TERMINAL_PROMPT: "0" },
    clearEnv: true,
  }).output();
  const said = new TextDecoder().decode(stderr);
  assert.equal(code, 0, said);
  return said;
}

async function commit(box: Sandbox, message: string): Promise<void> {
  await git(box.site, "add", "--all");
  await git(box.site, "commit", "--quiet", "--message", message);
}

const list = (...notes: string[]): string =>
  `<ul>${notes.map((note) => `<li>${note}</li>`).join("")}</ul>`;

async function branchesOf(box: Sandbox) {
  const { branches } = await box.json(["db", "branches"]) as {
    branches: { name: string; parent: string | null; gitBranch: string | null }[];
  };
  return branches.map(({ name, parent, gitBranch }) => [name, parent, gitBranch]);
}

async function publishAndPreview(box: Sandbox, engine: string): Promise<void> {
  await box.json(["db", "create", "--name", "notes", "--engine", engine, "--wait"]);
  await box.json(["db", "config", "--preview-branches", "true"]);
  await writeProject(box.site);
  await commit(box, "Keep notes");
  const published = await push(box, "main");
  const production = hostOf(/main is live at (\S+)/.exec(published)?.[1]);
  const page = async (host: string) => (await box.page(host, "/")).text;
  const write = async (host: string, body: string) =>
    (await box.page(host, "/", { method: "POST", body })).text;
  assert.equal(await page(production), list());
  assert.equal(await write(production, "first"), list("first"));

  await git(box.site, "checkout", "--quiet", "-b", "feature/stars");
  await Deno.writeTextFile(
    join(box.site, "migrations.sql"),
    `${NOTES}ALTER TABLE notes ADD COLUMN IF NOT EXISTS stars int;\n`,
  );
  await commit(box, "Add stars");
  const previewed = await push(box, "feature/stars");
  const preview = hostOf(/feature\/stars is live at (\S+)/.exec(previewed)?.[1]);
  assert.equal(
    await page(preview),
    list("first"),
    "a preview starts with a copy of production's rows",
  );
  assert.equal(await write(preview, "trial"), list("first", "trial"));
  assert.equal(await write(production, "second"), list("first", "second"));
  const branch = ["preview/feature/stars", "main", "feature/stars"];
  assert.deepEqual(await branchesOf(box), [["main", null, null], branch]);
  const columns = async (...where: string[]) => {
    const { results } = await box.json([
      "db",
      "query",
      "SELECT * FROM notes ORDER BY id DESC LIMIT 1",
      ...where,
    ]) as { results: { columns: { name: string }[] }[] };
    return results[0]!.columns.map(({ name }) => name);
  };
  assert.deepEqual(await columns(), ["id", "text"], "production's tables are unchanged");
  assert.deepEqual(await columns("--branch", branch[0]!), ["id", "text", "stars"]);

  await git(box.site, "commit", "--quiet", "--allow-empty", "--message", "Again");
  await push(box, "feature/stars");
  assert.equal(
    await page(preview),
    list("first", "trial"),
    "the next push keeps the preview's rows",
  );

  await push(box, "--delete", "feature/stars");
  assert.equal((await box.page(preview, "/")).status, 404);
  await until(() => branchesOf(box), (left) => left.length === 1);
  assert.equal(await page(production), list("first", "second"));
}

const isLong = Deno.env.get("DATABASE_TESTS") === "all";
for (const [engine, args] of Object.entries(ENGINES)) {
  const lack = engine === "server" ? NO_POSTGRES : undefined;
  Deno.test({
    name: `a pushed project and its git branch render separate databases, ${engine}${
      lack === undefined ? "" : ` (skipped: ${lack})`
    }`,
    ignore: lack !== undefined || isEmpty() || (engine === "server" && !isLong),
    fn: () =>
      withSandbox(async (box) => {
        // PostgreSQL's user must have access to the data directory.
        await Deno.chmod(box.folder, 0o755);
        await box.start(args);
        await git(box.site, "init", "--quiet", "--initial-branch=main");
        await box.json(["projects", "create", "--name", "notes", "--link"]);
        await box.json(["link", "--git-remote"]);
        await publishAndPreview(box, engine);
        assert.equal(await box.platform!.stop(), 0);
      }),
  });
}
