/**
 * Backs up a platform under load, restores the backups elsewhere, and compares them with all
 * acknowledged data. The platform, the backup and the restore are killed at random moments.
 *
 * `SVC_BACKUP_ROUNDS` sets the number of rounds.
 */
import assert from "node:assert/strict";
import { basename, dirname, join } from "node:path";
import pg from "pg";
import { startTool } from "../../scripts/_program.ts";
import { until } from "../../src/lib/_test_until.ts";
import { Ledger, type LedgerPlatform, untilDelivered } from "../helpers/ledger.ts";
import { create, createProject, deploy } from "../helpers/platform.ts";
import { callerOf } from "../helpers/sandbox_api.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";

const ROUNDS = Number(Deno.env.get("SVC_BACKUP_ROUNDS") ?? 2);
/** Number of acknowledged writes before a backup starts. */
const WRITES = 40;
/** Maximum pause before a process is killed, in milliseconds. */
const MOST_PAUSE_MS = 150;

/** The processes to kill, one of them in each round. */
const VICTIMS = ["the platform", "the backup"] as const;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A database client that commits numbers in sequence, each as two rows. */
class Numbers {
  acknowledged = 0;

  async run(url: string, isDone: () => boolean): Promise<void> {
    const client = await connect(url);
    try {
      while (!isDone()) {
        const n = this.acknowledged;
        const rows = `($1, 0, repeat('x', 100)), ($1, 1, repeat('y', 100))`;
        await client.query(`INSERT INTO numbers VALUES ${rows}`, [n]);
        this.acknowledged++;
      }
    } catch (error) {
      // Killing the platform closed the connection. The number may or may not have been committed.
      if (!/terminated|ECONNRE|closed/.test(String(error))) throw error;
      this.acknowledged++;
    } finally {
      await client.end().catch(() => {});
    }
  }
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on("error", () => {});
  await client.connect();
  return client;
}

async function databaseUrl(box: Sandbox): Promise<string> {
  const { code, stdout, stderr } = await box.tool(["db", "connection", "--project-id", "shop"]);
  assert.equal(code, 0, stderr);
  return stdout.trim();
}

/**
 * Checks that each commit is there with both rows or not at all, and that none of the first
 * `atLeast` commits is missing, except interrupted ones.
 */
async function checkNumbers(box: Sandbox, atLeast: number): Promise<void> {
  const client = await connect(await databaseUrl(box));
  const { rows } = await client.query("SELECT n, part FROM numbers ORDER BY n, part");
  await client.end();
  const halves = rows.filter(({ n, part }, index) =>
    rows[index ^ 1]?.n !== n || part !== index % 2
  );
  assert.deepEqual(halves, [], "No transaction is restored partially");
  const found = new Set(rows.map(({ n }) => n));
  const missing = Array.from({ length: atLeast }, (_, n) => n).filter((n) => !found.has(n));
  // In each round, one commit can be interrupted when a process is killed.
  assert.ok(missing.length <= ROUNDS, `Commits are missing: ${missing}`);
}

/** Deploys enough data for a backup and a restore to take a while. */
async function deployBulk(platform: LedgerPlatform): Promise<void> {
  await createProject(platform, "bulk");
  for (let n = 0; n < 4; n++) {
    const large = crypto.getRandomValues(new Uint8Array(65_536)).join(" ").repeat(10);
    const small = Array.from({ length: 50 }, (_, file) => [`small-${file}.txt`, `${n} ${file}`]);
    const files = { ...Object.fromEntries(small), "index.html": "bulk", "large.txt": large };
    await deploy(platform, "bulk", { files });
  }
}

/**
 * Lists a file's temporary files, which are next to the file and whose names start with the file's
 * name.
 */
async function besides(file: string): Promise<string[]> {
  const names = [];
  for await (const { name } of Deno.readDir(dirname(file))) {
    if (name.startsWith(`${basename(file)}.`)) names.push(name);
  }
  return names.sort();
}

/** Starts a command and kills it at a random moment. */
async function interrupt(box: Sandbox, args: readonly string[], file: string): Promise<void> {
  const before = (await besides(file)).length;
  const tool = startTool(args, { cwd: box.site, env: box.env });
  let hasEnded = false;
  tool.result.then(() => hasEnded = true);
  await until(async () => hasEnded || (await besides(file)).length > before);
  await pause(Math.random() * MOST_PAUSE_MS);
  tool.kill();
  await tool.result;
}

/**
 * Restores a backup after attempts that were killed, and starts a platform with the restored data.
 */
async function restoreElsewhere(box: Sandbox, file: string, dataDir: string): Promise<void> {
  await interrupt(box, ["restore", file, "--data-dir", dataDir], dataDir);
  for (const name of await besides(dataDir)) {
    const half = join(box.folder, name);
    const { code, stdout } = await box.tool(["serve", "--json", "--port", "0", "--data-dir", half]);
    assert.deepEqual([code, JSON.parse(stdout).code], [1, "data_incomplete"]);
    await Deno.remove(half, { recursive: true });
  }
  const isThere = await Deno.stat(dataDir).then(() => true, () => false);
  if (!isThere) await box.json(["restore", file, "--data-dir", dataDir]);
}

interface Round {
  readonly ledgers: readonly Ledger[];
  readonly numbers: Numbers;
  /**
   * Number of writes in the newest ledger, and of numbers in the database, that were acknowledged
   * before the backup started.
   */
  readonly before: { readonly writes: number; readonly numbers: number };
}

/**
 * Compares the running platform with the ledgers. If `isOriginal` is set, nothing may be missing.
 */
async function compare(box: Sandbox, round: Round, isOriginal: boolean): Promise<number> {
  const platform = callerOf(box);
  await untilDelivered(platform);
  let count = 0;
  for (const [index, ledger] of round.ledgers.entries()) {
    const isNewest = index === round.ledgers.length - 1;
    const atLeast = isNewest && !isOriginal ? round.before.writes : ledger.acknowledged;
    count = await ledger.check(platform, atLeast);
  }
  await checkNumbers(box, isOriginal ? round.numbers.acknowledged : round.before.numbers);
  return count;
}

/** Creates a backup under load, and kills the round's process during the backup. */
async function backUpUnderLoad(
  box: Sandbox,
  file: string,
  round: Round,
  victim: typeof VICTIMS[number],
): Promise<void> {
  const { ledgers, numbers, before } = round;
  const [ledger] = ledgers.slice(-1);
  let done = false;
  const url = await databaseUrl(box);
  const writing = Promise.all([
    ledger!.run(callerOf(box), () => done),
    numbers.run(url, () => done),
  ]);
  const committed = numbers.acknowledged;
  const isLoaded = () =>
    ledger!.acknowledged >= WRITES && numbers.acknowledged > committed + WRITES;
  await Promise.race([writing, until(isLoaded)]);
  Object.assign(before, { writes: ledger!.acknowledged, numbers: numbers.acknowledged });
  const args = ["backup", file, "--data-dir", box.dataDir];
  if (victim === "the backup") await interrupt(box, args, file);
  const isMade = await Deno.stat(file).then(() => true, () => false);
  const making = isMade ? undefined : box.tool([...args, "--json"]);
  if (victim === "the platform") {
    await until(async () => (await besides(file)).length > 0);
    await pause(Math.random() * MOST_PAUSE_MS);
    await box.platform!.kill();
  }
  if (making !== undefined) {
    const { code, stdout } = await making;
    assert.equal(code, 0, stdout);
    assert.deepEqual(await besides(file), [], "leftovers of a killed backup are removed");
  }
  done = true;
  await writing;
}

Deno.test(`${ROUNDS} backups are complete and consistent despite load and kills`, async () => {
  await withSandbox(async (box) => {
    const start = () => box.start(["--postgres-port", "0"]);
    await start();
    await deployBulk(callerOf(box));
    await createProject(callerOf(box), "shop");
    await box.json(["db", "create", "--project-id", "shop", "--name", "orders", "--wait"]);
    const client = await connect(await databaseUrl(box));
    await client.query("CREATE TABLE numbers (n int, part int, text text)");
    await client.end();

    const seen: string[] = [];
    const ledgers: Ledger[] = [];
    const numbers = new Numbers();
    for (let index = 0; index < ROUNDS; index++) {
      ledgers.push(await Ledger.open(callerOf(box), `round-${index}`));
      const round: Round = { ledgers, numbers, before: { writes: 0, numbers: 0 } };
      const file = join(box.folder, `backup-${index}.tar`);
      const victim = VICTIMS[index % VICTIMS.length]!;
      await backUpUnderLoad(box, file, round, victim);
      if (victim === "the platform") await start();
      const all = await compare(box, round, true);
      const [platform, dataDir] = [box.platform, box.dataDir];
      Object.assign(box, { dataDir: join(box.folder, `elsewhere-${index}`) });
      await restoreElsewhere(box, file, box.dataDir);
      await start();
      const restored = await compare(box, round, false);
      await box.platform!.stop();
      await Deno.remove(box.dataDir, { recursive: true });
      Object.assign(box, { platform, dataDir });
      Object.assign(box.env, { SVC_API_URL: platform!.url });
      seen.push(`${round.before.writes} <= ${restored} <= ${all}, killed ${victim}`);
    }
    const text = `Writes before, in the backup, in all: ${seen.join("; ")}\n`;
    await Deno.stderr.write(new TextEncoder().encode(text));
  });
});

Deno.test("a deployment whose files are not uploaded yet does not count as damaged", async () => {
  await withSandbox(async (box) => {
    await box.start();
    await createProject(callerOf(box), "shop");
    const files = { "index.html": "never uploaded" };
    assert.equal((await create(callerOf(box), "shop", { files })).status, 201);
    const file = join(box.folder, "backup.tar");
    await box.json(["backup", file, "--verify", "--data-dir", box.dataDir]);
    await box.json(["restore", file, "--data-dir", join(box.folder, "elsewhere")]);
  });
});

Deno.test("svc serve and svc rekey refuse data from a newer version", async () => {
  await withSandbox(async (box) => {
    await box.start();
    await box.platform!.stop();
    const mark = JSON.stringify({ format: 999, program: "9.0.0" });
    await Deno.writeTextFile(join(box.dataDir, "format.json"), mark);
    for (const args of [["serve", "--port", "0"], ["rekey"]]) {
      const { code, stdout } = await box.tool([...args, "--data-dir", box.dataDir, "--json"]);
      assert.equal(code, 1);
      const { error, code: reason } = JSON.parse(stdout);
      assert.equal(reason, "data_newer");
      assert.match(error, /svc 9\.0\.0 wrote it in format 999/);
    }
  });
});
