/**
 * Creates backups while clients write to databases on a PostgreSQL server. The server is either the
 * one that `--postgres local` starts, or a remote one that the original and the restored platform
 * share. A backup must contain every commit that was acknowledged before the backup started, and
 * each database must be as it was at a single moment. In every second round, the platform is killed
 * during the backup.
 *
 * The test takes a long time, so it runs only with `DATABASE_TESTS=all`. `SVC_BACKUP_ROUNDS` sets
 * the number of rounds.
 */
import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import { PASSWORD, startTestCluster } from "../../src/database/server/_test_server.ts";
import { until } from "../../src/lib/_test_until.ts";
import {
  checkLedgers,
  connect,
  makeLedger,
  startWriter,
  type Writer,
} from "../helpers/commit_ledger.ts";
import { noServer } from "../helpers/postgres.ts";
import { callApi, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const ROUNDS = Number(Deno.env.get("SVC_BACKUP_ROUNDS") ?? 2);
/** Number of commits per client before a backup starts. */
const COMMITS = 30;
/** Number of concurrent clients per branch. */
const CLIENTS = 1;
/** Maximum time to wait for a command that runs alongside the clients, in milliseconds. */
const PATIENCE_MS = 120_000;
/** Maximum time from a backup's start until the platform is killed, in milliseconds. */
const MOST_PAUSE_MS = 300;

/** Branches to which clients write in parallel. One of them is on the embedded engine. */
const BRANCHES = ["orders/main", "orders/try", "stock/main", "carts/main"] as const;
const DATABASES = { orders: "server", stock: "server", carts: "embedded" } as const;

type Ledgers = ReadonlyMap<string, readonly (readonly number[])[]>;

const at = (branch: string) => `/v1/projects/shop/databases/${branch.split("/")[0]}`;

async function urlOf(box: Sandbox, branch: string): Promise<string> {
  const [, name] = branch.split("/");
  return (await callApi(box, "GET", `${at(branch)}/connection?branch=${name}`)).url;
}

/** Creates the clients' table, and a total that a trigger updates in the same transactions. */
async function makeTables(url: string): Promise<void> {
  await makeLedger(url);
  const client = await connect(url);
  await client.query(`CREATE TABLE total (rows int); INSERT INTO total VALUES (0);
    CREATE FUNCTION count_row() RETURNS trigger LANGUAGE plpgsql AS
      'BEGIN UPDATE total SET rows = rows + 1; RETURN NULL; END';
    CREATE TRIGGER count_row AFTER INSERT ON ledger FOR EACH ROW EXECUTE FUNCTION count_row()`);
  await client.end();
}

/** Compares every branch with the ledgers, and the branch's tables with each other. */
async function checkAll(box: Sandbox, ledgers: Ledgers): Promise<number> {
  let count = 0;
  for (const branch of BRANCHES) {
    const url = await urlOf(box, branch);
    const rows = await checkLedgers(url, ledgers.get(branch)!);
    const client = await connect(url);
    const { rows: [total] } = await client.query("SELECT rows FROM total");
    await client.end();
    assert.equal(total.rows, rows, `${branch} mixes data from two points in time`);
    count += rows;
  }
  return count;
}

/** Waits until a platform that was started from a backup has created the branches. */
async function untilMade(box: Sandbox): Promise<void> {
  for (const name of Object.keys(DATABASES)) {
    const { items } = await until(
      () => callApi(box, "GET", `${at(name)}/branches`),
      ({ items }) => items.every((each: { state: string }) => each.state !== "creating"),
      PATIENCE_MS,
    );
    for (const { state, reason } of items) assert.deepEqual([state, reason], ["active", null]);
  }
}

/** The clients' writes in one round, in addition to earlier writes. */
class Round {
  readonly #earlier: Ledgers;
  readonly #writers: ReadonlyMap<string, readonly Writer[]>;

  private constructor(earlier: Ledgers, writers: ReadonlyMap<string, readonly Writer[]>) {
    this.#earlier = earlier;
    this.#writers = writers;
  }

  static async begin(box: Sandbox, earlier: Ledgers): Promise<Round> {
    const writers = new Map<string, Writer[]>();
    for (const branch of BRANCHES) {
      const url = await urlOf(box, branch);
      const first = earlier.get(branch)?.length ?? 0;
      const own = Array.from({ length: CLIENTS }, (_, n) => startWriter(url, first + n));
      writers.set(branch, await Promise.all(own));
    }
    const all = [...writers.values()].flat();
    await until(() => all.every(({ ledger }) => ledger.length >= COMMITS), Boolean, PATIENCE_MS);
    return new Round(earlier, writers);
  }

  /** The commits that have been acknowledged so far. */
  get ledgers(): Ledgers {
    return new Map(
      [...this.#writers].map(([branch, writers]) => [
        branch,
        [...this.#earlier.get(branch) ?? [], ...writers.map(({ ledger }) => [...ledger])],
      ]),
    );
  }

  /** Waits until the clients have lost their connections. */
  async ended(): Promise<void> {
    await Promise.all([...this.#writers.values()].flat().map(({ ended }) => ended));
  }
}

/** Creates a backup while clients write. Returns what the backup must contain. */
async function backUp(
  box: Sandbox,
  { round, file, kills }: {
    readonly round: Round;
    readonly file: string;
    readonly kills: boolean;
  },
): Promise<Ledgers> {
  const before = round.ledgers;
  const making = box.tool(["backup", file, "--data-dir", box.dataDir, "--json"]);
  if (kills) {
    const names = async () => await Array.fromAsync(Deno.readDir(dirname(file)));
    const hasBegun = async () =>
      (await names()).some(({ name }) => name.startsWith(basename(file)));
    await until(hasBegun, Boolean, PATIENCE_MS);
    await new Promise((resolve) => setTimeout(resolve, Math.random() * MOST_PAUSE_MS));
    await box.platform!.kill();
  }
  const { code, stdout, stderr } = await making;
  assert.equal(code, 0, stdout + stderr);
  return before;
}

async function runRounds(box: Sandbox, args: readonly string[]): Promise<void> {
  const start = () => box.start(["--postgres-port", "0", ...args]);
  await start();
  await box.json(["init", "--name", "shop", "--create"]);
  for (const [name, engine] of Object.entries(DATABASES)) {
    await box.json(["db", "create", "--name", name, "--engine", engine, "--wait"]);
    await makeTables(await urlOf(box, `${name}/main`));
  }
  await box.json(["db", "branches", "create", "try", "--database", "orders"]);
  await untilMade(box);
  let earlier: Ledgers = new Map();
  const seen: string[] = [];
  for (let index = 0; index < ROUNDS; index++) {
    const kills = index % 2 === 1;
    const round = await Round.begin(box, earlier);
    const file = join(box.folder, `backup-${index}.tar`);
    const before = await backUp(box, { round, file, kills });
    if (!kills) assert.equal(await box.platform!.stop(), 0);
    await round.ended();
    earlier = round.ledgers;
    const { dataDir } = box;
    Object.assign(box, { dataDir: join(box.folder, `elsewhere-${index}`) });
    await box.json(["restore", file, "--data-dir", box.dataDir]);
    await start();
    await untilMade(box);
    const restored = await checkAll(box, before);
    assert.equal(await box.platform!.stop(), 0);
    await Deno.remove(box.dataDir, { recursive: true });
    Object.assign(box, { dataDir });
    await start();
    const all = await checkAll(box, earlier);
    const least = [...before.values()].flat(2).length;
    seen.push(`${least} commits before, ${restored} rows restored, ${all} in all`);
  }
  assert.equal(await box.platform!.stop(), 0);
  await Deno.stderr.write(new TextEncoder().encode(`${seen.join("; ")}\n`));
}

const options = { ignore: Deno.env.get("DATABASE_TESTS") !== "all" || noServer() !== undefined };

Deno.test(
  "backups of databases on a local server under load are complete",
  options,
  () =>
    withSandbox(async (box) => {
      // PostgreSQL's user must be able to access the data directory.
      await Deno.chmod(box.folder, 0o755);
      await runRounds(box, ["--postgres", "local"]);
    }),
);

Deno.test("backups of databases on a remote server under load are complete", options, async () => {
  await using cluster = await startTestCluster();
  const login = `${cluster.user}:${encodeURIComponent(PASSWORD)}`;
  const url = `postgres://${login}@localhost/postgres?host=${dirname(cluster.socket)}`;
  await withSandbox(async (box) => {
    Object.assign(box.env, { SVC_POSTGRES_URL: url });
    await runRounds(box, []);
  });
});
