/**
 * Tests the checks that `svc doctor` runs for the machine, its platform, and the managed databases
 * in a data directory.
 */
import assert from "node:assert/strict";
import { dirname, join } from "node:path";
import { noServer } from "../helpers/postgres.ts";
import { NO_POSTGRES } from "../../src/database/server/_test_server.ts";
import { TestPg } from "../../src/platform/core/store/_test_pg.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

interface Point {
  readonly name: string;
  readonly state: "ok" | "warn" | "fail";
  readonly found: string;
  readonly advice?: string;
}

/** Returns the checks that `svc doctor` prints, by name. */
async function examine(
  box: Sandbox,
  env: Readonly<Record<string, string>> = {},
): Promise<(name: string) => readonly Point[]> {
  const { stdout, stderr } = await box.tool(
    ["doctor", "--data-dir", box.dataDir, "--json"],
    env,
  );
  assert.ok(stdout !== "", stderr);
  const { points } = JSON.parse(stdout) as { readonly points: readonly Point[] };
  return (name) => points.filter((point) => point.name === name);
}

/** Like `examine()`, but requires that no two checks have the same name. */
async function examineEach(...given: Parameters<typeof examine>): Promise<(name: string) => Point> {
  const named = await examine(...given);
  return (name) => {
    const points = named(name);
    assert.equal(points.length, 1, JSON.stringify(points));
    return points[0]!;
  };
}

async function makeDatabase(box: Sandbox): Promise<void> {
  await box.json(["init", "--name", "shop", "--create"]);
  await box.json(["db", "create", "--name", "orders", "--wait"]);
}

Deno.test("svc doctor reports missing, stray and expiring databases", () =>
  withSandbox(async (box) => {
    const before = await examine(box);
    assert.deepEqual(before("database records"), [], "no database is found before the first start");
    assert.ok(
      before("platform").every(({ state }) => state === "fail"),
      "no platform is running yet",
    );
    await box.start(["--postgres-port", "none"]);
    await makeDatabase(box);
    const point = await examineEach(box);
    const well = point("database records");
    assert.deepEqual([well.state, well.found], ["ok", "1 database, all found in their engines"]);
    const files = point("embedded databases");
    assert.match(files.found, /^1 folder of \d+\.\d MiB; a branch is a (clone|full copy)$/);

    assert.equal(await box.platform!.stop(), 0);
    const folder = join(box.dataDir, "databases");
    const entries = await Array.fromAsync(Deno.readDir(folder));
    const branch = entries.find(({ name }) => /^[0-9a-f]{16}$/.test(name))!;
    await Deno.rename(join(folder, branch.name), join(folder, "0123456789abcdef"));
    const [gone, stray, ...more] = (await examine(box))("database records");
    assert.deepEqual(more, []);
    assert.equal(gone!.state, "fail");
    assert.equal(gone!.found, "the engine lacks orders/main of shop");
    assert.match(gone!.advice!, /svc restore/);
    assert.equal(stray!.state, "warn");
    assert.match(stray!.found, /0123456789abcdef/);
  }));

Deno.test("svc doctor examines the platform, the login and the machine", () =>
  withSandbox(async (box) => {
    await box.start(["--postgres-port", "none"]);
    const wrongRelease = { SVC_RELEASES_URL: "http://127.0.0.1:9/none" };
    const running = await examineEach(box, wrongRelease);
    const answers = running("platform");
    assert.equal(answers.state, "ok");
    assert.match(answers.found, /^http:\/\/[^ ]+ responds, version /);
    assert.match(running("login").found, /workspace \S+ \(owner\)/);
    assert.match(running("program").found, /cannot check for releases/);
    const misled = await examineEach(box, {
      SVC_TOKEN: "svc_wrongwrongwrongwrongwrong",
      HTTPS_PROXY: "http://a:secret@127.0.0.1:9",
    });
    const wrong = misled("login");
    assert.equal(wrong.state, "warn");
    assert.ok(!JSON.stringify(wrong).includes("wrongwrong"));
    const proxied = misled("proxy");
    assert.match(
      proxied.found,
      /through the proxy in HTTPS_PROXY, except requests to this machine/,
    );
    assert.ok(!JSON.stringify(proxied).includes("secret"));
    assert.equal(await box.platform!.stop(), 0);
    const gone = (await examineEach(box))("platform");
    assert.equal(gone.state, "fail");
    assert.match(gone.advice!, /svc serve/);
  }));

Deno.test({
  name: "svc doctor checks PostgreSQL in the data directory without starting anything",
  ignore: noServer() !== undefined,
  fn: () =>
    withSandbox(async (box) => {
      await Deno.chmod(box.folder, 0o755);
      await box.start(["--postgres", "local", "--postgres-port", "none"]);
      await makeDatabase(box);
      const running = await examineEach(box);
      assert.match(running("local PostgreSQL").found, / runs$/);
      assert.match(running("database server").found, /^PostgreSQL \d+.*connections in/);
      assert.equal(running("database records").state, "ok");

      assert.equal(await box.platform!.stop(), 0);
      const stopped = await examine(box);
      assert.match(stopped("local PostgreSQL")[0]!.found, / is stopped until svc serve/);
      assert.deepEqual(stopped("database server"), []);
      const data = join(box.dataDir, "postgres", "data");
      await Deno.chmod(data, 0o755);
      await Deno.writeTextFile(join(data, "PG_VERSION"), "9\n");
      const [missing, open] = (await examine(box))("local PostgreSQL");
      assert.match(missing!.found, /need PostgreSQL 9, which is not installed$/);
      assert.match(missing!.advice!, /postgresql-9/);
      assert.match(open!.advice!, /^Restrict it: chmod 700 /);
    }),
});

Deno.test({
  name:
    "svc doctor checks its permissions on the SVC_POSTGRES_URL server without printing passwords",
  ignore: NO_POSTGRES !== undefined,
  fn: () =>
    withSandbox(async (box) => {
      await using pg = await TestPg.start();
      const { socket, user } = await pg.newAddress();
      await pg.runSql("CREATE ROLE poor LOGIN PASSWORD 'right horse'");
      const ask = async (role: string, password: string) => {
        const point = await examineEach(box, {
          SVC_POSTGRES_URL: `postgres://${role}:${
            encodeURIComponent(password)
          }@localhost/postgres?host=${dirname(socket!)}`,
        });
        return point("database server");
      };
      assert.equal((await ask(user, "right horse")).state, "ok");
      const poor = await ask("poor", "right horse");
      assert.equal(poor.state, "fail");
      assert.match(poor.found, /cannot create databases and roles/);
      assert.match(poor.advice!, /CREATEDB CREATEROLE/);
      const told = await box.tool(["doctor", "--postgres", "postgres://a:secret@localhost/b"]);
      assert.equal(
        told.code,
        2,
        "a URL as an argument is refused because others can read command lines",
      );
      assert.ok(!told.stderr.includes("secret"), told.stderr);
      const wrong = await ask(user, "wrong horse");
      assert.equal(wrong.state, "fail");
      assert.ok(!JSON.stringify(wrong).includes("wrong horse"), JSON.stringify(wrong));
    }),
});
