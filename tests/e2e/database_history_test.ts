/**
 * Restoring a database to a point in time, and `kill -9` of the platform and of PostgreSQL while
 * the history is written, copied, pruned and restored: the branch has exactly what was committed
 * at that time.
 *
 * `KILL_ROUNDS` sets how often.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { connect, databaseUrl, makeLedger, startWriter } from "../helpers/commit_ledger.ts";
import { noServer } from "../helpers/postgres.ts";
import { callApi, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 2);
const COMMITS = 10;
/** Longest time from the request to restore until the kill, in milliseconds. */
const MOST_PAUSE_MS = 4000;
const AT = "/v1/projects/shop/databases/orders";
const SERVE = ["--postgres", "local", "--postgres-port", "0", "--db-history-size", "150MiB"];

async function since(box: Sandbox): Promise<string> {
  const { history } = await until(
    () => callApi(box, "GET", AT),
    ({ history }) => history.since !== null,
    60_000,
  );
  assert.equal(history.problem, null);
  return history.since;
}

async function query(box: Sandbox, sql: string, branch = "main"): Promise<string[]> {
  const { code, stdout, stderr } = await box.tool([
    "db",
    "query",
    sql,
    "--branch",
    branch,
    "--csv",
  ]);
  assert.equal(code, 0, stderr);
  return stdout.trim().split(/\r?\n/).slice(1);
}

/** Waits until PostgreSQL runs no more, which ends each backend by itself. */
async function killPostgres({ dataDir }: Sandbox): Promise<void> {
  const file = join(dataDir, "postgres", "data", "postmaster.pid");
  const pid = Number.parseInt(await Deno.readTextFile(file));
  Deno.kill(pid, "SIGKILL");
  await until(() => Deno.stat(`/proc/${pid}`).then(() => false, () => true));
}

Deno.test({
  name: "svc db branches create --at restores a branch to a point in time",
  ignore: noServer() !== undefined,
  fn: () =>
    withSandbox(async (box) => {
      // The user that PostgreSQL runs as has to reach the data directory.
      await Deno.chmod(box.folder, 0o755);
      await box.start(SERVE);
      await box.json(["init", "--name", "shop", "--create"]);
      await box.json(["db", "create", "--name", "orders", "--wait"]);
      await query(box, "CREATE TABLE t AS SELECT 'one' AS x");
      await since(box);
      await box.json(["db", "branches", "create", "side"]);
      const first = new Date().toISOString();
      await query(box, "UPDATE t SET x = 'side'", "side");
      const beforeReset = new Date().toISOString();
      await box.json(["db", "branches", "reset", "side", "--force"]);
      await query(box, "DROP TABLE t");

      await box.json(["db", "branches", "create", "before", "--at", first]);
      assert.deepEqual(await query(box, "SELECT x FROM t", "before"), ["one"]);
      const reset = ["db", "branches", "create", "lost", "--from", "side", "--at", beforeReset];
      const { code, stderr } = await box.tool(reset);
      assert.deepEqual([code, stderr.includes(`as of ${beforeReset}`)], [0, true], stderr);
      assert.deepEqual(await query(box, "SELECT x FROM t", "lost"), ["side"], "before its reset");
      await box.json(["db", "branches", "create", "now", "--at", "0s"]);
      assert.deepEqual(await query(box, "SELECT count(*) FROM pg_tables WHERE tablename = 't'"), [
        "0",
      ]);

      for (const time of ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "300d"]) {
        const { code, stderr } = await box.tool(["db", "branches", "create", "no", "--at", time]);
        assert.equal(code, 1, stderr);
        assert.match(stderr, /Cannot restore to \S+: the history goes from \S+Z to now \(\S+Z\)/);
      }
      const info = await box.tool(["db", "info"]);
      assert.match(
        info.stdout,
        /^history +any time since \S+Z; 7 days are kept in .* 150\.0 MiB/m,
      );
      const { stdout: examined } = await box.tool(["doctor", "--data-dir", box.dataDir, "--json"]);
      const { points } = JSON.parse(examined);
      const [point] = points.filter(({ name }: { name: string }) => name === "database history");
      assert.equal(point.state, "ok");
      assert.match(point.found, /to any time since \S+Z; \d+\.\d MiB on disk$/);

      assert.equal(await box.platform!.stop(), 0);
      await box.start(["--postgres", "local", "--postgres-port", "0", "--db-history-days", "0"]);
      const off = await box.tool(["db", "branches", "create", "no", "--at", "1s"]);
      assert.match(off.stderr, /keeps no history/);
      await assert.rejects(Deno.stat(join(box.dataDir, "postgres", "history")));
    }),
});

Deno.test({
  name: `a history that is killed loses no acknowledged commit, in ${ROUNDS} rounds`,
  ignore: noServer() !== undefined,
  fn: () =>
    withSandbox(async (box) => {
      await Deno.chmod(box.folder, 0o755);
      await box.start(SERVE);
      await box.json(["init", "--name", "shop", "--create"]);
      await box.json(["db", "create", "--name", "orders", "--wait"]);
      await makeLedger(await databaseUrl(box));
      await since(box);
      let killed = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const name = `round-${round}`;
        const writer = await startWriter(await databaseUrl(box), round);
        await until(() => writer.ledger.length >= COMMITS);
        const least = writer.ledger.length;
        const at = new Date().toISOString();
        const most = writer.ledger.length;
        await until(() => writer.ledger.length >= most + COMMITS);
        const asked = callApi(box, "POST", `${AT}/branches`, { name, at }).catch(() => undefined);
        await new Promise((resolve) => setTimeout(resolve, Math.random() * MOST_PAUSE_MS));
        if ((await callApi(box, "GET", `${AT}/branches`)).items.at(-1).state === "creating") {
          killed++;
        }
        await box.platform!.kill();
        await asked;
        await writer.ended;
        if (round % 2 === 1) await killPostgres(box);
        await box.start(SERVE);
        const url = await databaseUrl(box);
        await until(() => callApi(box, "GET", AT), ({ state }) => state === "active", 60_000);
        const { items } = await until(
          () => callApi(box, "GET", `${AT}/branches`),
          ({ items }) => items.at(-1).name !== name || items.at(-1).state !== "creating",
          60_000,
        );
        // The request may not have been recorded before the kill.
        if (items.at(-1).name !== name) await callApi(box, "POST", `${AT}/branches`, { name, at });
        const made = items.at(-1).name === name ? items.at(-1) : { state: "active", reason: null };
        assert.deepEqual([made.state, made.reason], ["active", null]);
        const restored = await query(
          box,
          `SELECT n FROM ledger WHERE writer = ${round} AND part = 0 ORDER BY n`,
          name,
        );
        assert.deepEqual(restored, restored.map((_, n) => String(n)));
        const counts = `${least} <= ${restored.length} <= ${most} + 1`;
        assert.ok(restored.length >= least && restored.length <= most + 1, counts);
        const client = await connect(url);
        const { rows } = await client.query("SELECT n FROM ledger WHERE writer = $1 AND part = 0", [
          round,
        ]);
        await client.end();
        assert.ok(rows.length >= writer.ledger.length, "acknowledged commits are gone");
        await box.json(["db", "branches", "delete", name, "--force"]);
      }
      await since(box);
      // A base backup may be under way.
      await until(
        () => Array.fromAsync(Deno.readDir(join(box.dataDir, "postgres", "history"))),
        (left) => left.map(({ name }) => name).sort().join() === "bases,wal",
      );
      assert.equal(await box.platform!.stop(), 0);
      await Deno.stderr.write(
        new TextEncoder().encode(`${ROUNDS} restores, ${killed} killed under way, none lost\n`),
      );
    }),
});
