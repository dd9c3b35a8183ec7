/**
 * Moves a platform to PostgreSQL and object storage and back, while the CLI is killed and both
 * servers fail at random moments. The same command is run until it succeeds. After that, all data
 * and expiry times must have been moved, the source must be unchanged, and platforms must be able
 * to serve from both.
 *
 * Runs only in the long form, or if `MOVE_ROUNDS` sets the number of rounds.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { cleanEnvironment, startProgram, startTool } from "../../scripts/_program.ts";
import { hear } from "../../scripts/_process.ts";
import { until } from "../../src/lib/_test_until.ts";
import { NO_POSTGRES } from "../../src/platform/core/store/_test_pg.ts";
import { freeBuildUid } from "../helpers/build_users.ts";
import { Ledger, type LedgerPlatform } from "../helpers/ledger.ts";
import { IS_LONG } from "../helpers/machines/machines.ts";
import { MoveServers, type MoveTarget } from "../helpers/machines/move_servers.ts";
import {
  compareBlobs,
  compareRecords,
  readFileRecords,
  readFolderBlobs,
  readPgRecords,
  readStoredBlobs,
} from "../helpers/move_contents.ts";
import { callApi, createProject, deploy, sha256, TOKEN } from "../helpers/platform.ts";
import { DenoStore } from "../../src/store/mod.ts";

const ROUNDS = Number(Deno.env.get("MOVE_ROUNDS") ?? (IS_LONG ? 5 : 0));
/** Rounds in which platforms are started on both the source and the target. */
const STARTS_EVERY = 5;
/** Maximum number of disturbances during a move. */
const DISTURBANCES = 3;
/** Number of ledger writes before the platform is killed. */
const WRITES = 25;
const FILLER = 2000;
/** Records that expire while they are being moved. */
const EXPIRING = 300;
const MOST_LEFT_MS = 8000;
/** Maximum time for which storage is unavailable, in milliseconds. The CLI waits longer. */
const MOST_AWAY_MS = 1500;

const VICTIMS = ["the CLI", "the CLI", "PostgreSQL", "the storage"] as const;
/**
 * Messages of temporary failures. A killed node still counts as running for 10 seconds, and servers
 * restart slowly on a busy machine.
 */
const PASSING = new RegExp([
  "while nodes run on it",
  `"code":"store_unusable","hint":".*Run the command again to continue"`,
  "Cannot reach the key-value store: .* Try again",
].join("|"));
/** Maximum number of runs of one command. */
const MOST_RUNS = 100;

/** Exit code of a process that was killed by SIGKILL. */
const KILLED = 137;

const buildUid = String(freeBuildUid());
const say = (text: string) => Deno.stderr.write(new TextEncoder().encode(`${text}\n`));

interface Bench {
  readonly folder: string;
  readonly servers: MoveServers;
  readonly ledger: Ledger;
  /** Duration of an undisturbed move, in milliseconds. */
  calmMs: number;
  /** Number of disturbances, by kind. */
  readonly done: Map<string, number>;
}

/** Runs a platform and kills it at the end. */
async function withProgram(
  { folder, dataDir, args = [], env = {} }: {
    readonly folder: string;
    readonly dataDir: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  },
  use: (platform: LedgerPlatform) => Promise<void>,
): Promise<void> {
  const { url, port, kill } = await startProgram({
    dataDir,
    args: ["--build-uid", buildUid, ...args],
    env: { ...cleanEnvironment(join(folder, "home")), ...env, SVC_BOOTSTRAP_TOKEN: TOKEN },
  });
  try {
    await use({ port, api: (method, path, options = {}) => callApi(url, method, path, options) });
  } finally {
    await kill();
  }
}

/** Creates the platform that all rounds move, and kills it. */
async function furnish(folder: string): Promise<Ledger> {
  const dataDir = join(folder, "origin");
  let ledger: Ledger | undefined;
  await withProgram({ folder, dataDir }, async (platform) => {
    const own = ledger = await Ledger.open(platform, "kept");
    await own.run(platform, () => own.acknowledged >= WRITES);
    await createProject(platform, "bulk");
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`${n}.txt`, `file ${n} ${"x".repeat(n * 300)}`]),
    );
    const large = crypto.getRandomValues(new Uint8Array(65_536)).toHex().repeat(70);
    await platform.api("PUT", `/v1/blobs/${sha256(large)}`, { body: large });
    await deploy(platform, "bulk", { files: { ...files, "index.html": "bulk", "large": large } });
  });
  const kv = await DenoStore.open(join(dataDir, "kv.sqlite3"));
  for (let first = 0; first < FILLER; first += 250) {
    const operation = kv.atomic();
    for (let n = first; n < first + 250; n++) operation.set(["filler", n], new Uint8Array(n % 300));
    await operation.commit();
  }
  await kv.set(["filler", "counter"], new Deno.KvU64(2n ** 64n - 1n));
  kv.close();
  return ledger!;
}

/** Adds records to a store. Some of them expire during the move, and the rest expire later. */
async function addExpiring(dataDir: string): Promise<void> {
  const kv = await DenoStore.open(join(dataDir, "kv.sqlite3"));
  for (let n = 0; n < EXPIRING; n++) {
    const expireIn = n % 10 === 0 ? 3_600_000 * n : Math.ceil(Math.random() * MOST_LEFT_MS);
    await kv.set([n % 2 === 0 ? "aaa" : "zzz", n], new Uint8Array([n % 256]), { expireIn });
  }
  kv.close();
}

async function disturb(
  victim: typeof VICTIMS[number],
  { servers: { pg, storage } }: Bench,
  tool: { kill(): void },
): Promise<void> {
  if (victim === "the CLI") tool.kill();
  else if (victim === "PostgreSQL") await pg.cluster.crash();
  else await storage.fail(Math.random() * MOST_AWAY_MS);
}

/** Runs one command until it succeeds. */
async function move(bench: Bench, args: readonly string[], env: MoveTarget["env"]): Promise<void> {
  const { folder, done } = bench;
  const story = [`svc ${args.join(" ")}`];
  for (let attempt = 0;; attempt++) {
    const began = performance.now();
    const tool = startTool(["migrate-store", "--json", ...args], {
      cwd: folder,
      env: { ...cleanEnvironment(join(folder, "home")), ...env },
    });
    let hasEnded = false;
    tool.result.then(() => hasEnded = true);
    const victim = attempt < DISTURBANCES ? VICTIMS[Math.floor(Math.random() * 4)] : undefined;
    if (victim !== undefined) {
      await delay(Math.random() * bench.calmMs);
      if (!hasEnded) await disturb(victim, bench, tool);
    }
    const { code, stdout, stderr } = await tool.result;
    const took = performance.now() - began;
    story.push(`${victim} after ${took.toFixed()} ms: exited with ${code}\n${stdout}${stderr}`);
    done.set(`${victim}: ${code}`, (done.get(`${victim}: ${code}`) ?? 0) + 1);
    if (code === 0) {
      if (victim === undefined) bench.calmMs = took;
      return;
    }
    const wasKilled = code === KILLED && victim === "the CLI";
    assert.ok(wasKilled || PASSING.test(stdout) && story.length < MOST_RUNS, story.join("\n"));
    if (!wasKilled) attempt--;
  }
}

/** Moves a copy of the platform to the target and back, and compares all data. */
async function runRound(bench: Bench, round: number): Promise<void> {
  const { folder, servers, ledger } = bench;
  const [source, node, back] = ["source", "node", "back"].map((each) =>
    join(folder, `${round}-${each}`)
  ) as [string, string, string];
  await hear(["cp", "-a", join(folder, "origin"), source]);
  const keysFile = ["--keys-file", join(source, "keys.json")];
  const file = (dataDir: string) => join(dataDir, "kv.sqlite3");
  const blobs = await readFolderBlobs(join(source, "blobs"));
  const target = await servers.newTarget();
  const check = async (options: Parameters<typeof withProgram>[0]) => {
    if (round % STARTS_EVERY > 0) return;
    await withProgram(options, async (platform) => {
      await ledger.check(platform, ledger.acknowledged);
    });
  };

  await addExpiring(source);
  const before = readFileRecords(file(source));
  const there = ["--data-dir", source, "--to", target.kv, "--to", target.blobs];
  await move(bench, there, target.env);
  const now = Date.now();
  const moved = await readPgRecords(servers.pg, target);
  const count = compareRecords(before, moved, now);
  assert.ok(count > FILLER, `${count} records`);
  compareRecords(before, readFileRecords(file(source)), now);
  compareBlobs(blobs, await readStoredBlobs(target));
  compareBlobs(blobs, await readFolderBlobs(join(source, "blobs")));

  const { env } = target;
  const args = ["--kv", target.kv, "--blobs", target.blobs, ...keysFile];
  await check({ folder, dataDir: node, args, env });
  await check({ folder, dataDir: source });
  const from = ["--data-dir", back, "--from", target.kv, "--from", target.blobs, ...keysFile];
  await move(bench, from, target.env);
  const later = Date.now();
  const returned = readFileRecords(file(back));
  compareRecords(await readPgRecords(servers.pg, target), returned, later);
  const stored = await readStoredBlobs(target);
  compareBlobs(stored, await readFolderBlobs(join(back, "blobs")));
  assert.ok([...blobs.keys()].every((blob) => stored.has(blob)), "the source has all blobs");
  await check({ folder, dataDir: back, args: keysFile });
  await hear(["rm", "-rf", source, node, back]);
}

Deno.test({
  name: `a move loses no data in ${ROUNDS} rounds of kills and server failures`,
  ignore: NO_POSTGRES !== undefined || ROUNDS === 0,
  async fn() {
    const folder = await Deno.makeTempDir({ prefix: "svc-move-" });
    // PostgreSQL's user must be able to enter this folder.
    await Deno.chmod(folder, 0o755);
    await Deno.mkdir(join(folder, "home"));
    await using servers = await MoveServers.start(folder, IS_LONG);
    const ledger = await furnish(folder);
    const bench: Bench = { folder, servers, ledger, calmMs: 2000, done: new Map() };
    for (let round = 0; round < ROUNDS; round++) {
      const began = performance.now();
      await runRound(bench, round);
      const counts = [...bench.done].map(([kind, count]) => `${kind} × ${count}`).join(", ");
      await say(`round ${round}: ${((performance.now() - began) / 1000).toFixed(1)} s; ${counts}`);
    }
    await until(() => Deno.remove(folder, { recursive: true }).then(() => true, () => false));
  },
});
