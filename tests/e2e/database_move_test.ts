/**
 * Kills the platform with `kill -9` while a database is moved to another engine and clients write
 * to it. After each restart, the move must complete, every acknowledged commit must exist, and
 * nothing may remain in the old engine.
 *
 * `SVC_DATABASE_CRASH_ROUNDS` sets the number of moves.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { checkLedgers, databaseUrl, makeLedger, startWriter } from "../helpers/commit_ledger.ts";
import { noServer } from "../helpers/postgres.ts";
import { callApi, type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const ROUNDS = Number(Deno.env.get("SVC_DATABASE_CRASH_ROUNDS") ?? 2);
const COMMITS = 15;
/**
 * Maximum time from the move request to the kill, in milliseconds. A move takes less time than
 * this.
 */
const MOST_PAUSE_MS = 1500;
const AT = "/v1/projects/shop/databases/orders";

/** Returns the folders of embedded branches. */
async function foldersOf({ dataDir }: Sandbox): Promise<string[]> {
  const found = await Array.fromAsync(Deno.readDir(join(dataDir, "databases"))).catch(() => []);
  return found.map(({ name }) => name).filter((name) => /^[0-9a-f]{16}$/.test(name));
}

/**
 * Returns messages from `svc doctor` about databases that exist in an engine but have no record, or
 * vice versa.
 */
async function examine(box: Sandbox): Promise<readonly string[]> {
  const { stdout } = await box.tool(["doctor", "--data-dir", box.dataDir, "--json"]);
  const { points } = JSON.parse(stdout) as {
    readonly points: readonly { readonly name: string; readonly found: string }[];
  };
  return points.filter(({ name }) => name === "database records").map(({ found }) => found);
}

Deno.test({
  name: `a killed move completes later and loses no acknowledged commit, in ${ROUNDS} rounds`,
  ignore: noServer() !== undefined,
  fn: () =>
    withSandbox(async (box) => {
      // PostgreSQL's user must have access to the data directory.
      await Deno.chmod(box.folder, 0o755);
      const start = () => box.start(["--postgres", "local", "--postgres-port", "0"]);
      await start();
      await box.json(["init", "--name", "shop", "--create"]);
      await box.json(["db", "create", "--name", "orders", "--engine", "embedded", "--wait"]);
      await makeLedger(await databaseUrl(box));
      const ledgers: (readonly number[])[] = [];
      let killed = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const to = round % 2 === 0 ? "server" : "embedded";
        const writer = await startWriter(await databaseUrl(box), ledgers.length);
        await until(() => writer.ledger.length >= COMMITS);
        await callApi(box, "POST", `${AT}/move`, { engine: to });
        await new Promise((resolve) => setTimeout(resolve, Math.random() * MOST_PAUSE_MS));
        if ((await callApi(box, "GET", AT)).state === "creating") killed++;
        await box.platform!.kill();
        await writer.ended;
        ledgers.push(writer.ledger);
        await start();
        const moved = await until(
          () => callApi(box, "GET", AT),
          ({ state }) => state === "active" || state === "failed",
          60_000,
        );
        assert.deepEqual([moved.state, moved.reason, moved.engine], ["active", null, to]);
        await checkLedgers(await databaseUrl(box), ledgers);
        await until(async () => (await foldersOf(box)).length === (to === "embedded" ? 1 : 0));
        assert.deepEqual(await examine(box), ["1 database, all found in their engines"]);
      }
      assert.equal(await box.platform!.stop(), 0);
      await Deno.stderr.write(
        new TextEncoder().encode(`${ROUNDS} moves, ${killed} of them killed, none lost\n`),
      );
    }),
});
