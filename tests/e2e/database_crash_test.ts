/**
 * Kills the platform with `kill -9` while clients write to the address that `svc db connection`
 * prints. After each restart, every acknowledged commit must exist on each engine.
 *
 * `SVC_DATABASE_CRASH_ROUNDS` sets the number of rounds per engine. Fifty rounds take two minutes.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { until } from "../../src/lib/_test_until.ts";
import { checkLedgers, databaseUrl, makeLedger, startWriter } from "../helpers/commit_ledger.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { noServer } from "../helpers/postgres.ts";

const ROUNDS = Number(Deno.env.get("SVC_DATABASE_CRASH_ROUNDS") ?? 2);
const WRITERS = 3;
/** Number of commits per writer before the platform is killed in each round. */
const COMMITS = 15;
/** Maximum random delay between these commits and the kill, in milliseconds. */
const MOST_PAUSE_MS = 100;

const ENGINES: Readonly<Record<string, readonly string[]>> = {
  embedded: [],
  server: ["--postgres", "local"],
};

/** Kills the PostgreSQL server, which otherwise outlives the platform, to simulate a power cut. */
async function killServer({ dataDir }: Sandbox): Promise<void> {
  const file = join(dataDir, "postgres", "data", "postmaster.pid");
  Deno.kill(Number.parseInt(await Deno.readTextFile(file)), "SIGKILL");
}

for (const [engine, args] of Object.entries(ENGINES)) {
  const lack = engine === "server" ? noServer() : undefined;
  Deno.test({
    name: `every acknowledged commit survives each of ${ROUNDS} kills (${engine})` +
      (lack === undefined ? "" : ` (skipped: ${lack})`),
    ignore: lack !== undefined,
    fn: () =>
      withSandbox(async (box) => {
        // PostgreSQL's user must have access to the data directory.
        await Deno.chmod(box.folder, 0o755);
        const start = () => box.start([...args, "--postgres-port", "0"]);
        await start();
        await box.json(["init", "--name", "shop", "--create"]);
        await box.json(["db", "create", "--name", "orders", "--wait"]);
        await makeLedger(await databaseUrl(box));

        const ledgers: (readonly number[])[] = [];
        let rows = 0;
        for (let round = 0; round < ROUNDS; round++) {
          const url = await databaseUrl(box);
          const writers = await Promise.all(
            Array.from({ length: WRITERS }, (_, each) => startWriter(url, ledgers.length + each)),
          );
          await until(() => writers.every(({ ledger }) => ledger.length >= COMMITS));
          await new Promise((resolve) => setTimeout(resolve, Math.random() * MOST_PAUSE_MS));
          await box.platform!.kill();
          // In every second round, the PostgreSQL server continues to run, and the next platform
          // takes it over.
          if (engine === "server" && round % 2 === 0) await killServer(box);
          await Promise.all(writers.map(({ ended }) => ended));
          ledgers.push(...writers.map(({ ledger }) => ledger));
          await start();
          rows = await checkLedgers(await databaseUrl(box), ledgers);
        }
        assert.equal(await box.platform!.stop(), 0);
        const acknowledged = ledgers.reduce((sum, ledger) => sum + ledger.length, 0);
        await Deno.stderr.write(
          new TextEncoder().encode(
            `${engine}, ${ROUNDS} kills: ${acknowledged} acknowledged commits, ${rows} rows, none lost\n`,
          ),
        );
      }),
  });
}
