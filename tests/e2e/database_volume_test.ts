/**
 * Reads a million rows through the database port and with `svc db query --csv`, on each engine. No
 * process may keep all of the rows in memory. The test takes a long time, so it runs only with
 * `DATABASE_TESTS=all`.
 */
import assert from "node:assert/strict";
import pg from "pg";
import * as z from "zod";
import { programCommand } from "../../scripts/_program.ts";
import { type Sandbox, withSandbox } from "../helpers/sandbox.ts";
import { noServer } from "../helpers/postgres.ts";

const ROWS = 1_000_000;
const NUMBER_SUM = ROWS * (ROWS + 1) / 2;
/**
 * Size of each row in bytes. All rows together are several times larger than the memory that a
 * process may use.
 */
const TEXT_BYTES = 500;
/**
 * Maximum memory that a process may use for all rows, in addition to the memory that it uses for a
 * few rows.
 */
const MORE_BYTES = 200_000_000;

const ENGINES: Readonly<Record<string, readonly string[]>> = {
  embedded: [],
  server: ["--postgres", "local"],
};

const sql = (rows: number): string =>
  `SELECT n, repeat('x', ${TEXT_BYTES}) AS text FROM generate_series(1, ${rows}) n`;

/** Returns a process's peak memory in bytes (`VmHWM`, proc(5)); 0 once the process has exited. */
function peakOf(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return 0;
    throw error;
  }
}

/** Returns a process and all its descendants. */
function familyOf(pid: number): number[] {
  const tasks = [...Deno.readDirSync(`/proc/${pid}/task`)];
  const children = tasks.flatMap(({ name }) =>
    Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`).split(" ").filter(Boolean)
  );
  return [pid, ...children.flatMap((child) => familyOf(Number(child)))];
}

/** Calls `run` and checks that the call does not increase any process's peak memory by much. */
async function withinMemory(pid: number, run: () => Promise<void>): Promise<void> {
  const before = familyOf(pid).map((member) => ({ member, peak: peakOf(member) }));
  await run();
  for (const { member, peak } of before) {
    const more = peakOf(member) - peak;
    assert.ok(more < MORE_BYTES, `Process ${member} of ${familyOf(pid)} used ${more} more bytes`);
  }
}

async function readByClient(url: string, rows: number): Promise<{ count: number; sum: number }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found = { count: 0, sum: 0 };
  try {
    await new Promise<void>((resolve, reject) => {
      const query = client.query(new pg.Query<{ n: number; text: string }>(sql(rows)));
      query.on("row", ({ n, text }) => {
        found.count++;
        found.sum += n;
        if (text.length !== TEXT_BYTES) reject(new Error(`Row ${n} has ${text.length} characters`));
      });
      query.on("end", () => resolve());
      query.on("error", reject);
    });
  } finally {
    await client.end();
  }
  return found;
}

/**
 * Runs the CLI. Returns the number of bytes and lines that the CLI printed, the end of the output,
 * and the peak memory.
 */
async function readByTool(box: Sandbox, rows: number) {
  const [program, ...args] = programCommand();
  const child = new Deno.Command(program, {
    args: [...args, "db", "query", sql(rows), "--csv"],
    cwd: box.site,
    env: box.env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  let [bytes, lines, peak] = [0, 0, 0];
  let last = new Uint8Array();
  for await (const chunk of child.stdout) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
    last = chunk.slice(-2);
    peak = Math.max(peak, peakOf(child.pid));
  }
  const { code } = await child.status;
  assert.equal(code, 0);
  assert.equal(new TextDecoder().decode(last), "\r\n");
  return { bytes, lines, peak };
}

const csvBytes = (rows: number): number => {
  let digits = 0;
  for (let from = 1; from <= rows; from *= 10) digits += rows - from + 1;
  return "n,text\r\n".length + digits + rows * (",".length + TEXT_BYTES + "\r\n".length);
};

const created = z.object({ database: z.object({ engine: z.string() }) });
const connected = z.object({ url: z.string() });

const isAsked = Deno.env.get("DATABASE_TESTS") === "all";
for (const [engine, args] of Object.entries(ENGINES)) {
  const lack = engine === "server" ? noServer() : undefined;
  Deno.test({
    name: `clients and the CLI read a million rows in bounded memory, ${engine}${
      lack === undefined ? "" : ` (skipped: ${lack})`
    }`,
    ignore: !isAsked || lack !== undefined,
    fn: () =>
      withSandbox(async (box) => {
        // PostgreSQL's user must have access to the data directory.
        await Deno.chmod(box.folder, 0o755);
        const { pid, stop } = await box.start(args);
        await box.json(["init", "--create"]);
        const { database } = created.parse(await box.json(["db", "create", "--wait"]));
        assert.equal(database.engine, engine);
        const { url } = connected.parse(await box.json(["db", "connection"]));
        assert.equal((await readByClient(url, 1000)).count, 1000);
        await withinMemory(pid, async () => {
          assert.deepEqual(await readByClient(url, ROWS), { count: ROWS, sum: NUMBER_SUM });
        });
        const few = await readByTool(box, 1000);
        await withinMemory(pid, async () => {
          const { bytes, lines, peak } = await readByTool(box, ROWS);
          assert.deepEqual([lines, bytes], [ROWS + 1, csvBytes(ROWS)]);
          assert.ok(peak < few.peak + MORE_BYTES, `svc db query used ${peak} bytes`);
        });
        assert.equal(await stop(), 0);
      }),
  });
}
