/**
 * Restores a database to a point in time. Kills the platform and PostgreSQL with `kill -9` while
 * the history is written, copied, pruned and restored. The restored branch must have exactly the
 * data that was committed at that time.
 *
 * `KILL_ROUNDS` sets the number of rounds.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { connect, databaseUrl, makeLedger, startWriter } from "../helpers/commit_ledger.ts";
import { noServer } from "../helpers/postgres.ts";
import { callApi, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const ROUNDS = Number(Deno.env.get("KILL_ROUNDS") ?? 1);
const COMMITS = 10;
/** Maximum time from the restore request until the kill, in milliseconds. */
const MOST_PAUSE_MS = 4000;
const AT = "/v1/projects/shop/databases/orders";

interface Engine {
  readonly name: string;
  /** Options of `svc serve`. */
  readonly serve: readonly string[];
  /** Maximum size of the history, as the CLI shows it. */
  readonly size: string;
  readonly ignore: boolean;
  /** Lists the names of all items in the engine's histories. */
  parts(box: Sandbox): Promise<string[]>;
  /** Kills only PostgreSQL. Does nothing if PostgreSQL runs inside the platform. */
  kill(box: Sandbox): Promise<void>;
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await Array.fromAsync(Deno.readDir(folder))).map(({ name }) => name).sort();

const ENGINES: readonly Engine[] = [
  {
    name: "--postgres local",
    serve: ["--postgres", "local", "--postgres-port", "0"],
    // Each restore and each minute uses a 16 MiB segment, and the first base backup must be kept.
    size: "400.0 MiB",
    ignore: noServer() !== undefined,
    parts: ({ dataDir }) => namesIn(join(dataDir, "postgres", "history")),
    kill: killPostgres,
  },
  {
    name: "the embedded engine",
    serve: ["--postgres-port", "0"],
    // Each branch has its own copy of the history.
    size: "600.0 MiB",
    ignore: false,
    async parts({ dataDir }) {
      const folder = join(dataDir, "databases", "history");
      const ids = await namesIn(folder);
      return (await Promise.all(ids.map((id) => namesIn(join(folder, id))))).flat();
    },
    kill: () => Promise.resolve(),
  },
];

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

/** Kills PostgreSQL's main process and waits until it exits. The backends exit by themselves. */
async function killPostgres({ dataDir }: Sandbox): Promise<void> {
  const file = join(dataDir, "postgres", "data", "postmaster.pid");
  const pid = Number.parseInt(await Deno.readTextFile(file));
  Deno.kill(pid, "SIGKILL");
  await until(() => Deno.stat(`/proc/${pid}`).then(() => false, () => true));
}

for (const { name, serve, size, ignore, parts, kill } of ENGINES) {
  const sizeOption = ["--db-history-size", size.replace(".0 ", "")];
  Deno.test({
    name: `svc db branches create --at restores a branch to a point in time on ${name}`,
    ignore,
    fn: () =>
      withSandbox(async (box) => {
        // PostgreSQL's user must have access to the data directory.
        await Deno.chmod(box.folder, 0o755);
        await box.start([...serve, ...sizeOption]);
        await box.json(["init", "--name", "shop", "--create"]);
        await box.json(["db", "create", "--name", "orders", "--wait"]);
        await query(box, "CREATE TABLE t AS SELECT 'one' AS x");
        await since(box);
        await box.json(["db", "branches", "create", "side"]);
        const first = new Date().toISOString();
        await query(box, "UPDATE t SET x = 'side'", "side");
        // A branch's history starts at the end of the second in which the branch was opened, so
        // this waits for the next second.
        await new Promise((resolve) => setTimeout(resolve, 1000));
        const beforeReset = new Date().toISOString();
        await box.json(["db", "branches", "reset", "side", "--force"]);
        await query(box, "DROP TABLE t");

        await box.json(["db", "branches", "create", "before", "--at", first]);
        assert.deepEqual(await query(box, "SELECT x FROM t", "before"), ["one"]);
        const reset = ["db", "branches", "create", "lost", "--from", "side", "--at", beforeReset];
        const { code, stderr } = await box.tool(reset);
        assert.deepEqual([code, stderr.includes(`as of ${beforeReset}`)], [0, true], stderr);
        assert.deepEqual(
          await query(box, "SELECT x FROM t", "lost"),
          ["side"],
          "the branch has its rows from before the reset",
        );
        await box.json(["db", "branches", "create", "now", "--at", "0s"]);
        assert.deepEqual(await query(box, "SELECT count(*) FROM pg_tables WHERE tablename = 't'"), [
          "0",
        ]);

        for (const time of ["2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z", "300d"]) {
          const { code, stderr } = await box.tool(["db", "branches", "create", "no", "--at", time]);
          assert.equal(code, 1, stderr);
          assert.match(stderr, /Cannot restore to \S+: the history covers \S+Z to now \(\S+Z\)/);
        }
        const info = await box.tool(["db", "info"]);
        assert.match(
          info.stdout,
          new RegExp(`^history +any time since \\S+Z; keeps 7 days, in .* ${size}`, "m"),
        );
        const { stdout: examined } = await box.tool([
          "doctor",
          "--data-dir",
          box.dataDir,
          "--json",
        ]);
        const { points } = JSON.parse(examined);
        const [point] = points.filter(({ name }: { name: string }) => name === "database history");
        assert.equal(point.state, "ok");
        assert.match(point.found, /to any point in time since \S+Z; \d+\.\d MiB on disk$/);

        for (const end of ["stop", "kill"] as const) {
          await box.platform![end]();
          await box.start([...serve, ...sizeOption]);
          await box.json(["db", "branches", "create", `after-${end}`, "--at", first]);
          assert.deepEqual(await query(box, "SELECT x FROM t", `after-${end}`), ["one"]);
        }

        assert.equal(await box.platform!.stop(), 0);
        await box.start([...serve, "--db-history-days", "0"]);
        const off = await box.tool(["db", "branches", "create", "no", "--at", "1s"]);
        assert.match(off.stderr, /keeps no history/);
        await assert.rejects(parts(box), Deno.errors.NotFound);
      }),
  });

  Deno.test({
    name: `the history on ${name} loses no acknowledged commit in ${ROUNDS} rounds of kills`,
    ignore,
    fn: () =>
      withSandbox(async (box) => {
        await Deno.chmod(box.folder, 0o755);
        await box.start([...serve, ...sizeOption]);
        await box.json(["init", "--name", "shop", "--create"]);
        await box.json(["db", "create", "--name", "orders", "--wait"]);
        await makeLedger(await databaseUrl(box));
        await since(box);
        let killed = 0;
        for (let round = 0; round < ROUNDS; round++) {
          const copy = `round-${round}`;
          const writer = await startWriter(await databaseUrl(box), round);
          await until(() => writer.ledger.length >= COMMITS);
          const least = writer.ledger.length;
          // The last commit may be from the current millisecond, whose beginning `at` would name.
          await new Promise((resolve) => setTimeout(resolve, 2));
          const at = new Date().toISOString();
          const most = writer.ledger.length;
          await until(() => writer.ledger.length >= most + COMMITS);
          const asked = callApi(box, "POST", `${AT}/branches`, { name: copy, at }).catch(() =>
            undefined
          );
          await new Promise((resolve) => setTimeout(resolve, Math.random() * MOST_PAUSE_MS));
          if ((await callApi(box, "GET", `${AT}/branches`)).items.at(-1).state === "creating") {
            killed++;
          }
          await box.platform!.kill();
          await asked;
          await writer.ended;
          if (round % 2 === 0) await kill(box);
          await box.start([...serve, ...sizeOption]);
          const url = await databaseUrl(box);
          await until(() => callApi(box, "GET", AT), ({ state }) => state === "active", 60_000);
          const { items } = await until(
            () => callApi(box, "GET", `${AT}/branches`),
            ({ items }) => items.at(-1).name !== copy || items.at(-1).state !== "creating",
            60_000,
          );
          // The platform may have been killed before it recorded the request.
          if (items.at(-1).name !== copy) {
            await callApi(box, "POST", `${AT}/branches`, { name: copy, at });
          }
          const made = items.at(-1).name === copy
            ? items.at(-1)
            : { state: "active", reason: null };
          assert.deepEqual([made.state, made.reason], ["active", null]);
          const restored = await query(
            box,
            `SELECT n FROM ledger WHERE writer = ${round} AND part = 0 ORDER BY n`,
            copy,
          );
          assert.deepEqual(
            restored,
            restored.map((_, n) => String(n)),
          );
          const counts = `${least} <= ${restored.length} <= ${most} + 1`;
          assert.ok(restored.length >= least && restored.length <= most + 1, counts);
          const client = await connect(url);
          const { rows } = await client.query(
            "SELECT n FROM ledger WHERE writer = $1 AND part = 0",
            [
              round,
            ],
          );
          await client.end();
          assert.ok(rows.length >= writer.ledger.length, "no acknowledged commits are lost");
          await box.json(["db", "branches", "delete", copy, "--force"]);
        }
        await since(box);
        // A base backup may be running.
        await until(
          () => parts(box),
          (left) => left.length > 0 && left.every((part) => /^(?:bases|wal|removed)$/.test(part)),
        );
        assert.equal(await box.platform!.stop(), 0);
        await Deno.stderr.write(
          new TextEncoder().encode(`${ROUNDS} restores, ${killed} of them killed, none lost\n`),
        );
      }),
  });
}
