/**
 * Tests framework projects that render the content of their injected database. The CLI installs,
 * builds and deploys them: to production, and as a preview of a git branch, which has its own
 * database branch. The test runs on each engine, but only with `DATABASE_TESTS=all`, because it
 * installs packages from npm.
 */
import assert from "node:assert/strict";
import { cp } from "node:fs/promises";
import { join } from "node:path";
import { ROOT } from "../../scripts/_source_files.ts";
import { git } from "../../src/lib/_test_git.ts";
import { until } from "../../src/lib/_test_until.ts";
import { needs } from "../helpers/empty_root.ts";
import { buildsProjects, nodeVariables } from "../helpers/node_program.ts";
import { noServer } from "../helpers/postgres.ts";
import { hostOf, type JsonObject, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

/** Projects in `fixtures/databases`, and the PostgreSQL client that each project uses. */
const PROJECTS: Readonly<Record<string, string>> = { sveltekit: "postgres", astro: "pg" };
const ENGINES: Readonly<Record<string, readonly string[]>> = {
  embedded: [],
  server: ["--postgres", "local"],
};
const TABLE = "CREATE TABLE notes (id int GENERATED ALWAYS AS IDENTITY, text text NOT NULL)";
const FEATURE = "feature/stars";

/** A deployment as seen by its visitors. */
class Site {
  readonly #box: Sandbox;
  readonly #host: string;

  constructor(box: Sandbox, readonly id: string, host: string) {
    this.#box = box;
    this.#host = host;
  }

  static of(box: Sandbox, told: JsonObject, kind: "production" | "branch"): Site {
    const urls = told.urls as Readonly<Record<string, string>>;
    return new Site(box, String(told.id), hostOf(urls[kind]));
  }

  /** Returns the items in the page's list. */
  async notes(): Promise<string[]> {
    const { status, text } = await this.#box.page(this.#host, "/");
    assert.equal(status, 200, text);
    return [...text.matchAll(/<li(?:\s[^>]*)?>([^<]*)/g)].map(([, note]) => note!);
  }

  /** Submits the page's form as a browser would. */
  async write(text: string): Promise<void> {
    const answer = await this.#box.page(this.#host, "/", {
      method: "POST",
      headers: {
        accept: "text/html",
        "content-type": "application/x-www-form-urlencoded",
        origin: `http://${this.#host}:${this.#box.platform!.port}`,
      },
      body: new URLSearchParams({ text }).toString(),
    });
    assert.equal(answer.status, 200, answer.text);
  }

  async status(): Promise<number> {
    return (await this.#box.page(this.#host, "/")).status;
  }
}

async function branchesOf(box: Sandbox): Promise<string[]> {
  const { branches } = await box.json(["db", "branches"]) as { branches: { name: string }[] };
  return branches.map(({ name }) => name);
}

/** Returns the columns of the `notes` table on a branch. */
async function columnsOf(box: Sandbox, branch: string): Promise<string[]> {
  const sql = "SELECT * FROM notes LIMIT 0";
  const { results } = await box.json(["db", "query", "--branch", branch, sql]) as {
    results: { columns: { name: string }[] }[];
  };
  return results[0]!.columns.map(({ name }) => name);
}

async function publishAndPreview(box: Sandbox): Promise<void> {
  const production = Site.of(box, await box.json(["deploy", "--prod"]), "production");
  assert.deepEqual(await production.notes(), []);
  await production.write("first & <second");
  assert.deepEqual(await production.notes(), ["first &amp; &lt;second"]);

  await git(box.site, "checkout", "--quiet", "-b", FEATURE);
  const preview = Site.of(box, await box.json(["deploy"]), "branch");
  assert.deepEqual(
    await preview.notes(),
    await production.notes(),
    "a preview starts with a copy of production's rows",
  );
  await preview.write("trial");
  await production.write("third");
  assert.deepEqual((await preview.notes()).slice(1), ["trial"]);
  assert.deepEqual((await production.notes()).slice(1), ["third"]);
  const branch = `preview/${FEATURE}`;
  assert.deepEqual(await branchesOf(box), ["main", branch]);
  await box.json(["db", "query", "--branch", branch, "ALTER TABLE notes ADD COLUMN stars int"]);
  assert.deepEqual(await columnsOf(box, branch), ["id", "text", "stars"]);
  assert.deepEqual(await columnsOf(box, "main"), ["id", "text"]);

  const again = Site.of(box, await box.json(["deploy", "--skip-build"]), "branch");
  assert.deepEqual(
    (await again.notes()).slice(1),
    ["trial"],
    "the next deployment of the preview keeps its rows",
  );
  for (const { id } of [preview, again]) await box.json(["stop", id]);
  assert.equal(await again.status(), 404);
  await until(() => branchesOf(box), (left) => left.length === 1);
  assert.deepEqual((await production.notes()).slice(1), ["third"]);
}

const isLong = Deno.env.get("DATABASE_TESTS") === "all";
for (const [project, client] of Object.entries(PROJECTS)) {
  for (const [engine, args] of Object.entries(ENGINES)) {
    const lack = engine === "server" ? noServer() : undefined;
    Deno.test({
      name: `a ${project} project and its preview store separate notes using ${client}, ${engine}${
        lack === undefined ? "" : ` (skipped: ${lack})`
      }`,
      ignore: !isLong || lack !== undefined || !buildsProjects ||
        needs("sh", "node", "npm", "git").ignore,
      fn: () =>
        withSandbox(async (box) => {
          // PostgreSQL's user must have access to the data directory.
          await Deno.chmod(box.folder, 0o755);
          Object.assign(box.env, await nodeVariables(box.env.PATH ?? ""));
          await cp(join(ROOT, "fixtures", "databases", project), box.site, { recursive: true });
          await git(box.site, "init", "--quiet", "--initial-branch=main");
          await git(box.site, "commit", "--quiet", "--allow-empty", "--message", "Keep notes");
          await box.start(args);
          await box.json(["init", "--create"]);
          await box.json(["db", "create", "--name", "notes", "--engine", engine, "--wait"]);
          await box.json(["db", "config", "--preview-branches", "true"]);
          await box.json(["db", "query", TABLE]);
          await publishAndPreview(box);
          assert.equal(await box.platform!.stop(), 0);
        }),
    });
  }
}
