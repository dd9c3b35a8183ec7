/** What `svc doctor` finds of the machine, its platform, and managed databases in a data directory. */
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

/** The points of `svc doctor` that bear a name. */
async function examine(
  box: Sandbox,
  name: string,
  env: Readonly<Record<string, string>> = {},
): Promise<readonly Point[]> {
  const { stdout, stderr } = await box.tool(
    ["doctor", "--data-dir", box.dataDir, "--json"],
    env,
  );
  assert.ok(stdout !== "", stderr);
  const { points } = JSON.parse(stdout) as { readonly points: readonly Point[] };
  return points.filter((point) => point.name === name);
}

async function only(...given: Parameters<typeof examine>): Promise<Point> {
  const points = await examine(...given);
  assert.equal(points.length, 1, JSON.stringify(points));
  return points[0]!;
}

async function makeDatabase(box: Sandbox): Promise<void> {
  await box.json(["init", "--name", "shop", "--create"]);
  await box.json(["db", "create", "--name", "orders", "--wait"]);
}

Deno.test("svc doctor names databases that are gone, strays, and what is deleted soon", () =>
  withSandbox(async (box) => {
    assert.deepEqual(await examine(box, "databases kept"), [], "nothing is there yet");
    await box.start(["--postgres-port", "none"]);
    await makeDatabase(box);
    const well = await only(box, "databases kept");
    assert.deepEqual([well.state, well.found], ["ok", "1 database, all in their recorded places"]);
    const files = await only(box, "embedded databases");
    assert.match(files.found, /^1 folder of \d+\.\d MiB; a branch is a (clone|full copy)$/);

    assert.equal(await box.platform!.stop(), 0);
    const folder = join(box.dataDir, "databases");
    const [{ name: id }] = await Array.fromAsync(Deno.readDir(folder)) as [Deno.DirEntry];
    await Deno.rename(join(folder, id), join(folder, "0123456789abcdef"));
    const [gone, stray, ...more] = await examine(box, "databases kept");
    assert.deepEqual(more, []);
    assert.equal(gone!.state, "fail");
    assert.equal(gone!.found, "the engine lacks orders/main of shop");
    assert.match(gone!.advice!, /svc restore/);
    assert.equal(stray!.state, "warn");
    assert.match(stray!.found, /0123456789abcdef/);
  }));

Deno.test("svc doctor examines the platform, the login and the machine it runs on", () =>
  withSandbox(async (box) => {
    const unasked = await examine(box, "platform");
    assert.ok(unasked.every(({ state }) => state === "fail"), "none runs yet");
    await box.start(["--postgres-port", "none"]);
    const answers = await only(box, "platform");
    assert.equal(answers.state, "ok");
    assert.match(answers.found, /^http:\/\/[^ ]+ responds, version /);
    assert.match((await only(box, "login")).found, /workspace \S+ \(owner\)/);
    const wrong = await only(box, "login", { SVC_TOKEN: "svc_wrongwrongwrongwrongwrong" });
    assert.equal(wrong.state, "warn");
    assert.ok(!JSON.stringify(wrong).includes("wrongwrong"));

    const proxied = await only(box, "proxy", { HTTPS_PROXY: "http://a:secret@127.0.0.1:9" });
    assert.match(
      proxied.found,
      /through the proxy in HTTPS_PROXY, except requests to this machine/,
    );
    assert.ok(!JSON.stringify(proxied).includes("secret"));
    assert.equal(await box.platform!.stop(), 0);
    const gone = await only(box, "platform");
    assert.equal(gone.state, "fail");
    assert.match(gone.advice!, /svc serve/);
    const release = await only(box, "program", { SVC_RELEASES_URL: "http://127.0.0.1:9/none" });
    assert.match(release.found, /cannot check for releases/);
  }));

Deno.test({
  name: "svc doctor looks at the PostgreSQL in the data directory, and starts nothing",
  ignore: noServer() !== undefined,
  fn: () =>
    withSandbox(async (box) => {
      await Deno.chmod(box.folder, 0o755);
      await box.start(["--postgres", "local", "--postgres-port", "none"]);
      await makeDatabase(box);
      assert.match((await only(box, "local PostgreSQL")).found, / runs$/);
      assert.match((await only(box, "database server")).found, /^PostgreSQL \d+.*connections in/);
      assert.equal((await only(box, "databases kept")).state, "ok");

      assert.equal(await box.platform!.stop(), 0);
      assert.match((await only(box, "local PostgreSQL")).found, / is stopped until svc serve/);
      assert.deepEqual(await examine(box, "database server"), []);
      const data = join(box.dataDir, "postgres", "data");
      await Deno.chmod(data, 0o755);
      await Deno.writeTextFile(join(data, "PG_VERSION"), "9\n");
      const [missing, open] = await examine(box, "local PostgreSQL");
      assert.match(missing!.found, /need PostgreSQL 9, which is not installed$/);
      assert.match(missing!.advice!, /postgresql-9/);
      assert.match(open!.advice!, /^Restrict it: chmod 700 /);
    }),
});

Deno.test({
  name: "svc doctor asks the server of SVC_POSTGRES_URL for its rights, and prints no password",
  ignore: NO_POSTGRES !== undefined,
  fn: () =>
    withSandbox(async (box) => {
      await using pg = await TestPg.start();
      const { socket, user } = await pg.newAddress();
      await pg.runSql("CREATE ROLE poor LOGIN PASSWORD 'right horse'");
      const ask = (role: string, password: string) =>
        only(box, "database server", {
          SVC_POSTGRES_URL: `postgres://${role}:${
            encodeURIComponent(password)
          }@localhost/postgres?host=${dirname(socket!)}`,
        });
      assert.equal((await ask(user, "right horse")).state, "ok");
      const poor = await ask("poor", "right horse");
      assert.equal(poor.state, "fail");
      assert.match(poor.found, /cannot create databases and roles/);
      assert.match(poor.advice!, /CREATEDB CREATEROLE/);
      const told = await box.tool(["doctor", "--postgres", "postgres://a:secret@localhost/b"]);
      assert.equal(told.code, 2, "others can read command lines");
      assert.ok(!told.stderr.includes("secret"), told.stderr);
      const wrong = await ask(user, "wrong horse");
      assert.equal(wrong.state, "fail");
      assert.ok(!JSON.stringify(wrong).includes("wrong horse"), JSON.stringify(wrong));
    }),
});
