/**
 * Managed databases on both engines, compared with a plain PostgreSQL from Debian with its default
 * settings. All three are measured in one run, over TCP and with a password.
 *
 * @module
 */
import { statfs } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { describeProgram, withBenchPlace } from "./_bench_place.ts";
import { type DatabaseSide, openSides } from "./_database_sides.ts";
import { type Load, preparePgbench, runPgbench } from "./_pgbench.ts";
import { runOnce } from "./_plain_postgres.ts";
import { formatTable, median, whole } from "./_table.ts";

/** Number of databases, most of them idle to measure memory. A project can have at most 10. */
const DATABASES = numberOf("BENCH_DATABASES", { usual: 4, least: 2, most: 10 });
/** Size of the large branch to copy, in megabytes of rows, or 0 to copy only the small branch. */
const LARGE_MB = numberOf("BENCH_BRANCH_MB", { usual: 0, least: 0, most: 4096 });
const PARTS = ["create", "memory", "connect", "branch", "load"] as const;
/** The parts to measure; all by default. Fewer parts keep runs short on a busy machine. */
const CHOSEN = partsOf("BENCH_PARTS");
const SMALL_MB = 10;
const ROUNDS = 3;
const CONNECTIONS = 5;
const SECONDS = 2;
/** Maximum disk usage of a large branch (source, copies and logs), relative to its size. */
const DISK_PARTS = 8;

const LOADS: readonly Load[] = (["select", "tpcb"] as const).flatMap((script) =>
  [1, 8].map((clients) => ({ script, clients, seconds: SECONDS }))
);

/** The names of the databases: one that clients use, one to copy, and idle ones. */
const [USED, COPIED] = ["used", "copied"] as const;
const NAMES = [USED, COPIED, ...Array.from({ length: DATABASES - 2 }, (_, n) => `idle${n}`)];

/** Runs before the first load, because the embedded engine's code is optimized while it runs. */
const WARM_UP: Load = { script: "select", clients: 8, seconds: 10 };

interface Row {
  readonly name: string;
  /** A value for each engine, in order. */
  readonly values: readonly number[];
  readonly unit: "ms" | "MB" | "/s";
}

const format = (value: number): string => value < 100 ? value.toFixed(1) : whole(value);

function numberOf(
  variable: string,
  { usual, least, most }: { readonly usual: number; readonly least: number; readonly most: number },
): number {
  const given = Deno.env.get(variable);
  const value = given === undefined ? usual : Number(given);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new RangeError(`${variable} must be a whole number from ${least} to ${most}: "${given}"`);
}

function partsOf(variable: string): ReadonlySet<string> {
  const given = Deno.env.get(variable)?.split(",") ?? PARTS;
  const unknown = given.filter((part) => !(PARTS as readonly string[]).includes(part));
  if (unknown.length === 0) return new Set(given);
  throw new RangeError(`${variable} can list ${PARTS.join(",")}: "${unknown.join(",")}"`);
}

async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

/** Returns each engine's medians. The engines alternate in every round. */
async function race(
  sides: readonly DatabaseSide[],
  rounds: number,
  measure: (side: DatabaseSide, round: number) => Promise<number>,
): Promise<readonly number[]> {
  const all = sides.map((): number[] => []);
  for (let round = 0; round < rounds; round++) {
    for (const [index, side] of sides.entries()) all[index]!.push(await measure(side, round));
  }
  return all.map(median);
}

async function measureCreate(sides: readonly DatabaseSide[]): Promise<readonly Row[]> {
  const create = (side: DatabaseSide, database: string) => time(() => side.create(database));
  return [
    {
      name: "create the first database, with its server",
      values: await race(sides, 1, (side) => create(side, NAMES[0]!)),
      unit: "ms",
    },
    {
      name: "create another database",
      values: await race(sides, NAMES.length - 1, (side, round) => create(side, NAMES[round + 1]!)),
      unit: "ms",
    },
  ];
}

/** Reads the memory report of a process; returns an empty string if the process has exited. */
function readMemory(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/smaps_rollup`);
  } catch (error) {
    if (error instanceof Error && /No such (?:process|file)/.test(error.message)) return "";
    throw error;
  }
}

/**
 * Returns the memory of processes in bytes (proc(5)), with shared pages counted once for each
 * process (`resident`), or only once in total (`own`).
 */
function memoryOf(pids: readonly number[]): { readonly resident: number; readonly own: number } {
  const sum = { resident: 0, own: 0 };
  for (const pid of pids) {
    const text = readMemory(pid);
    sum.resident += Number(/^Rss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
    sum.own += Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0) * 1024;
  }
  return sum;
}

/** Measures the memory of databases without clients, asleep and awake. */
async function measureMemory(sides: readonly DatabaseSide[]): Promise<readonly Row[]> {
  const awake: ReturnType<typeof memoryOf>[] = [];
  const asleep: ReturnType<typeof memoryOf>[] = [];
  for (const side of sides) {
    for (const name of NAMES) await side.letSleep(name);
    asleep.push(memoryOf(side.processes()));
    for (const name of NAMES) await runOnce(await side.url(name), "SELECT 1");
    awake.push(memoryOf(side.processes()));
  }
  const row = (name: string, values: readonly number[]) => ({
    name,
    unit: "MB" as const,
    values: values.map((bytes) => bytes / 1e6),
  });
  return [
    row(`resident, ${DATABASES} databases without clients`, awake.map((each) => each.resident)),
    row("  with shared pages counted once", awake.map((each) => each.own)),
    row(`resident, ${DATABASES} databases asleep`, asleep.map((each) => each.resident)),
  ];
}

async function connect(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  try {
    return await time(async () => {
      await client.connect();
      await client.query("SELECT 1");
    });
  } finally {
    await client.end();
  }
}

async function measureConnect(sides: readonly DatabaseSide[]): Promise<readonly Row[]> {
  const first = await race(sides, CONNECTIONS, async (side) => {
    const url = await side.url(USED);
    await side.letSleep(USED);
    return await connect(url);
  });
  const next = await race(sides, CONNECTIONS, async (side) => await connect(await side.url(USED)));
  return [
    { name: "first connection after idle, and SELECT 1", values: first, unit: "ms" },
    { name: "another connection, and SELECT 1", values: next, unit: "ms" },
  ];
}

/** Rows of about 1000 bytes, 10 MB at a time, so that no engine holds them all. */
async function fill(side: DatabaseSide, size: number): Promise<void> {
  const url = await side.url(COPIED);
  await runOnce(url, "DROP TABLE IF EXISTS filling");
  await runOnce(url, "CREATE TABLE filling (n int, text text)");
  for (let filled = 0; filled < size; filled += SMALL_MB) {
    const rows = "SELECT n, repeat(md5(n::text), 30) FROM generate_series(1, 10000) n";
    await runOnce(url, `INSERT INTO filling ${rows}`);
  }
}

async function measureBranch(
  sides: readonly DatabaseSide[],
  size: number,
  rounds: number,
): Promise<Row> {
  for (const side of sides) await fill(side, size);
  const values = await race(sides, rounds, async (side, round) => {
    const name = `branch${size}_${round}`;
    const taken = await time(() => side.branch(COPIED, name));
    await side.removeBranch(COPIED, name);
    return taken;
  });
  return { name: `branch of ${whole(size)} MB`, values, unit: "ms" };
}

async function measureLoads(sides: readonly DatabaseSide[]): Promise<readonly Row[]> {
  for (const side of sides) {
    await preparePgbench(await side.url(USED));
    await runPgbench(await side.url(USED), WARM_UP);
  }
  const rows: Row[] = [];
  for (const load of LOADS) {
    const values = await race(
      sides,
      ROUNDS,
      async (side) => await runPgbench(await side.url(USED), load),
    );
    const script = load.script === "select" ? "select-only" : "TPC-B";
    const clients = load.clients === 1 ? "1 client" : `${load.clients} clients`;
    rows.push({ name: `pgbench ${script}, ${clients}`, values, unit: "/s" });
  }
  return rows;
}

async function requireDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const [free, needed] = [bavail * bsize / 1e6, LARGE_MB * DISK_PARTS];
  if (free < needed) {
    throw new Error(
      `Branches of ${whole(LARGE_MB)} MB need ${whole(needed)} MB in ${folder}, ` +
        `which has ${whole(free)} MB free: lower BENCH_BRANCH_MB`,
    );
  }
}

async function measureBranches(sides: readonly DatabaseSide[]): Promise<readonly Row[]> {
  const small = await measureBranch(sides, SMALL_MB, ROUNDS);
  return LARGE_MB > 0 ? [small, await measureBranch(sides, LARGE_MB, 1)] : [small];
}

const MEASURES = {
  create: measureCreate,
  memory: measureMemory,
  connect: measureConnect,
  branch: measureBranches,
  load: measureLoads,
} satisfies Record<typeof PARTS[number], unknown>;

/**
 * Measures the chosen parts. Databases are always created, because the other parts measure them.
 */
async function measure(sides: readonly DatabaseSide[]): Promise<readonly Row[]> {
  const rows: Row[] = [];
  for (const part of PARTS) {
    if (part !== "create" && !CHOSEN.has(part)) continue;
    rows.push(...await MEASURES[part](sides));
  }
  return rows;
}

function report(sides: readonly DatabaseSide[], rows: readonly Row[]): string {
  const headings = sides.flatMap(({ name }, index) =>
    index === sides.length - 1 ? [name] : [name, "of plain"]
  );
  const cells = rows.map(({ name, values, unit }) => {
    const plain = values.at(-1)!;
    const own = values.slice(0, -1)
      .flatMap((value) => [format(value), (value / plain).toFixed(2)]);
    return [name, unit, ...own, format(plain)];
  });
  return [
    `Two engines next to a plain PostgreSQL with default settings (svc ${describeProgram()});`,
    `medians. pgbench: scale 1, ${SECONDS} s, ${ROUNDS} rounds after ${WARM_UP.seconds} s. Lower ms and MB are better.`,
    `BENCH_DATABASES=10 keeps ten databases idle, BENCH_BRANCH_MB=1024 also copies 1 GB;`,
    `BENCH_PARTS=${PARTS.join(",")} selects parts.`,
    "",
    formatTable(["", "", ...headings], cells),
  ].join("\n");
}

/** Runs the bench and returns its report. */
export async function benchDatabases(): Promise<string> {
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-postgres-" });
  try {
    if (LARGE_MB > 0) await requireDisk(folder);
    const plainFolder = join(folder, "plain");
    await Deno.chmod(folder, 0o711);
    await Deno.mkdir(plainFolder);
    return await withBenchPlace(async (place) => {
      const sides = await openSides(place, plainFolder);
      try {
        return report(sides, await measure(sides));
      } finally {
        for (const side of sides) await side.close();
      }
    }, { args: ["--postgres", "local", "--postgres-port", "0"] });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
