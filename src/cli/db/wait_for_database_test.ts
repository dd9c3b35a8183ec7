import assert from "node:assert/strict";
import { runCli } from "../_test_run.ts";

const PROJECT = {
  id: "0199e2e8-5f0f-7e11-8a33-0242ac120002",
  name: "blog",
  url: "http://blog.localhost/",
  displayName: null,
  gitUrl: null,
  branch: "main",
  framework: null,
  workspace: "default",
  installCommand: null,
  buildCommand: null,
  outputDirectory: null,
  rootDirectory: null,
  nodeVersion: null,
  productionDeploymentId: null,
  createdAt: "2026-11-21T10:00:00.000Z",
  updatedAt: "2026-11-21T10:00:00.000Z",
};

const DATABASE = {
  id: "0199e2e8-5f0f-7e11-8a33-0242ac120003",
  name: "blog",
  projectId: PROJECT.id,
  engine: "embedded",
  version: null,
  reason: null,
  cuSize: "0.25",
  memoryMb: 256,
  maxConnections: 20,
  autoInject: true,
  envVar: "DATABASE_URL",
  environments: null,
  previewBranches: false,
  branches: 1,
  sizeBytes: null,
  overriddenBy: [],
  history: null,
  notes: [],
  deletedAt: null,
  createdAt: "2026-11-21T10:00:00.000Z",
  removedAt: null,
};

const BRANCH = {
  id: "0123456789abcdef",
  name: "try",
  resetAt: null,
  parent: "main",
  gitBranch: null,
  sizeBytes: 1,
  createdAt: "2026-11-21T10:00:00.000Z",
  expiresAt: null,
  running: false,
  connections: 0,
};

/**
 * Runs `db create --wait` against a platform that reports these states of the database, one per
 * request.
 */
async function create(states: readonly object[], msPerLook: number) {
  const rest = [...states];
  let clock = 0;
  const platform: typeof fetch = (input, init) => {
    const { pathname } = new URL(new Request(input, init).url);
    const answer = pathname.includes("/databases") ? { ...DATABASE, ...rest.shift() } : PROJECT;
    const status = pathname.endsWith("/databases") ? 201 : 200;
    return Promise.resolve(Response.json(answer, { status }));
  };
  const outcome = await runCli(["db", "create", "--wait", "--project-id", "blog", "--json"], {
    env: { SVC_TOKEN: "key" },
    fetch: platform,
    now: () => clock,
    sleep: () => Promise.resolve(void (clock += msPerLook)),
  });
  const said = outcome.stderr.trim().split("\n").map((line) => JSON.parse(line))
    .filter(({ s }) => s === "user");
  return { ...outcome, said, result: JSON.parse(outcome.stdout) };
}

const CREATING = { state: "creating" };

Deno.test("db create --wait reports its progress in the db phase", async () => {
  const { code, said, result } = await create(
    [...Array.from({ length: 8 }, () => CREATING), { state: "active" }],
    2000,
  );
  assert.equal(code, 0);
  assert.equal(result.database.state, "active");
  assert.deepEqual([...new Set(said.map(({ p, l }) => `${p} ${l}`))], ["db info"]);
  assert.deepEqual(said.map(({ m }) => m), [
    "Creating blog (embedded)",
    "Still creating blog: 6.0 s",
    "Still creating blog: 12.0 s",
    "Created database blog of blog",
  ]);
});

Deno.test("db create --wait fails with the platform's reason", async () => {
  const { code, result } = await create(
    [CREATING, { state: "failed", reason: "The disk is full" }],
    100,
  );
  assert.deepEqual([code, result.code], [1, "database_failed"]);
  assert.match(result.error, /was not created: The disk is full/);
  assert.match(result.next[0], /^svc db info blog/);
});

Deno.test("db create --wait gives up after ten minutes", async () => {
  const { code, result } = await create(Array.from({ length: 50 }, () => CREATING), 60_000);
  assert.equal(code, 1);
  assert.match(result.error, /still being created after 11 min/);
});

Deno.test("db move waits until the last branch has moved, and names branches that have not", async () => {
  const branches = [["creating", null], ["creating", null], ["failed", "The disk is full"]];
  let looks = 0;
  const platform: typeof fetch = (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const isMoved = pathname.includes("/databases/") && request.method === "GET" && looks > 0;
    const database = { ...DATABASE, state: "active", engine: isMoved ? "server" : "embedded" };
    if (pathname.endsWith("/branches")) {
      const [state, reason] = branches[Math.min(looks++, branches.length) - 1]!;
      return Promise.resolve(Response.json({ items: [{ ...BRANCH, state, reason }] }));
    }
    if (pathname.endsWith("/move")) {
      looks++;
      return Promise.resolve(Response.json({ ...database, state: "creating" }, { status: 202 }));
    }
    return Promise.resolve(Response.json(pathname.includes("/databases") ? database : PROJECT));
  };
  const args = ["db", "move", "blog", "--to", "server", "--force", "--project-id", "blog"];
  const { code, stderr } = await runCli(args, {
    env: { SVC_TOKEN: "key" },
    fetch: platform,
    sleep: () => Promise.resolve(),
  });
  assert.equal(code, 0, stderr);
  assert.ok(looks > branches.length, `${looks} looks`);
  assert.match(stderr, /Cannot move branch try: The disk is full/);
  assert.match(stderr, /Moved database blog to server/);
});
