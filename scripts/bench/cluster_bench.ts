/**
 * Records in PostgreSQL under Patroni, where each commit waits for one synchronous standby,
 * compared with the embedded store. Both run the same operations with the platform's own code.
 *
 * @module
 */
import { join } from "node:path";
import { openPlatformKv } from "../../src/platform/core/store/mod.ts";
import { Patroni } from "../../tests/helpers/machines/patroni.ts";
import { formatTable, median, whole } from "./_table.ts";
import type { RecordKey, RecordStore } from "../../src/store/mod.ts";

const SINGLE = 300;
const WRITERS = 100;
const SECONDS = 4;
const LISTED = 1000;
const LISTINGS = 30;

interface Measured {
  /** In milliseconds. */
  readonly commit: number;
  readonly commitP99: number;
  /** Number of commits per second from many writers, whose commits share flushes. */
  readonly grouped: number;
  readonly read: number;
  readonly listing: number;
}

async function timesOf(count: number, run: (index: number) => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let index = 0; index < count; index++) {
    const began = performance.now();
    await run(index);
    times.push(performance.now() - began);
  }
  return times.toSorted((left, right) => left - right);
}

const value = { name: "x".repeat(100), at: 1 };

async function measure(kv: RecordStore): Promise<Measured> {
  const commit = (key: RecordKey) => kv.atomic().set(key, value).commit();
  // The first calls open connections and compile code.
  await timesOf(50, (index) => commit(["warm", index]));
  const commits = await timesOf(SINGLE, (index) => commit(["single", index]));
  let count = 0;
  const end = performance.now() + SECONDS * 1000;
  await Promise.all(Array.from({ length: WRITERS }, async (_, writer) => {
    while (performance.now() < end) await commit(["grouped", writer, count++]);
  }));
  await Promise.all(Array.from({ length: LISTED }, (_, index) => commit(["listed", index])));
  const reads = await timesOf(SINGLE, (index) => kv.get(["listed", index]));
  const listings = await timesOf(LISTINGS, async () => {
    const { length } = await Array.fromAsync(kv.list({ prefix: ["listed"] }));
    if (length !== LISTED) throw new Error(`Listed ${length} entries instead of ${LISTED}`);
  });
  return {
    commit: median(commits),
    commitP99: commits[Math.floor(SINGLE * 0.99)]!,
    grouped: count / SECONDS,
    read: median(reads),
    listing: median(listings),
  };
}

async function measureEmbedded(folder: string): Promise<Measured> {
  const { kv, close } = await openPlatformKv(join(folder, "kv.sqlite3"), options({}));
  try {
    return await measure(kv);
  } finally {
    await close();
  }
}

async function measureCluster(folder: string): Promise<Measured> {
  await using patroni = await Patroni.start(folder);
  const env = { SVC_KV_PASSWORD: patroni.password };
  const { kv, close } = await openPlatformKv(patroni.place(), options(env));
  try {
    return await measure(kv);
  } finally {
    await close();
  }
}

function fail(message: string): never {
  throw new Error(message);
}

const options = (env: Readonly<Record<string, string>>) => ({
  env,
  onTrouble: fail,
  onDamaged: fail,
});

/** Runs the bench, as root on Debian, and returns its report. */
export async function benchCluster(): Promise<string> {
  if (Deno.uid() !== 0) return "Skipped: run it as root, because it starts servers as other users";
  const folder = await Deno.makeTempDir({ prefix: "svc-bench-" });
  await Deno.chmod(folder, 0o755);
  try {
    const [own, cluster] = [await measureEmbedded(folder), await measureCluster(folder)];
    const ms = (value: number) => value.toFixed(2);
    const times = (name: string, aim: string, pick: (measured: Measured) => number) => [
      name,
      ms(pick(own)),
      ms(pick(cluster)),
      (pick(cluster) / pick(own)).toFixed(1),
      aim,
    ];
    return formatTable(["", "embedded", "cluster", "ratio", "aim"], [
      times("commit, p50 ms", "5", ({ commit }) => commit),
      times("commit, p99 ms", "", ({ commitP99 }) => commitP99),
      [
        `commits a second, ${WRITERS} writers`,
        whole(own.grouped),
        whole(cluster.grouped),
        (cluster.grouped / own.grouped).toFixed(2),
        "1,000",
      ],
      times("read of one record, p50 ms", "", ({ read }) => read),
      times(`list of ${LISTED} records, p50 ms`, "", ({ listing }) => listing),
    ]);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}
