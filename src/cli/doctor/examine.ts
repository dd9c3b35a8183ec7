/** @module The checks in `svc doctor`. */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { findGroupPlace, type GroupPlace } from "../../lib/control_groups.ts";
import { runProgram } from "../../lib/spawn_program.ts";
import { probeSandbox, sealFunction } from "../../runtime/mod.ts";
import { formatBytes } from "../terminal/format.ts";
import { definedOnly } from "../command/defined_only.ts";
import { examineDataDir } from "./data_directory.ts";
import { examineDatabases } from "./databases.ts";
import type { Point } from "./point.ts";
import { examineBlobs, examineStore } from "./storages.ts";
import { examineNode } from "./node_versions.ts";
import { examineToolchains } from "./toolchains.ts";
import { examineBuildSandbox, examineNodeSandbox, judgeServerSandbox } from "./sandboxes.ts";

interface ExamineOptions {
  readonly dataDir: string;
  /** Folder in which esbuild's binary can be stored. */
  readonly cacheDir: string;
  /** The environment of this program. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Value of `--kv`: `postgres://…` */
  readonly kv?: string;
  /** Value of `--blobs`: `s3://…` */
  readonly blobs?: string;
  /** Database server: `local` or `postgres://…` */
  readonly postgres?: string;
  readonly now: number;
}

/** Minimum free space, in bytes. With less, deployments will soon run out of space. */
const LOW_DISK_BYTES = 1024 ** 3;

function memoryWatch(): Point {
  try {
    Deno.readTextFileSync("/proc/self/statm");
    return { name: "memory watch", state: "ok", found: describeMemoryLimits(findGroupPlace()) };
  } catch {
    return {
      name: "memory watch",
      state: "warn",
      found: "/proc does not show the memory of processes",
      advice: "Mount /proc: without it, the memory of functions and servers is not limited",
    };
  }
}

/** Describes how a platform that is started from here would limit the memory of project code. */
function describeMemoryLimits(place: GroupPlace): string {
  return "folder" in place
    ? "control groups limit the memory of servers, functions and builds, including socket buffers"
    : "/proc shows the memory of processes but not of their sockets, so a limit on open files " +
      `bounds those: ${place.problem}. For control groups, run svc as a service with ` +
      "Delegate=yes (svc serve --install)";
}

async function processLimits(): Promise<Point> {
  const { defaultProcessLimits } = await import("../../serve/mod.ts");
  const { servers, functions } = defaultProcessLimits();
  const found = `at most ${servers} servers and ${functions} function processes at once`;
  return { name: "process limits", state: "ok", found };
}

async function bundler(cacheDir: string): Promise<Point> {
  const name = "esbuild";
  try {
    const sealed = await sealFunction("doctor", "export default () => {};", { cacheDir });
    if (sealed.ok) return { name, state: "ok", found: "esbuild runs" };
    const advice = "Reinstall svc: its esbuild is damaged";
    return { name, state: "fail", found: "esbuild cannot bundle a function", advice };
  } catch (error) {
    return {
      name,
      state: "fail",
      found: `esbuild cannot run: ${error instanceof Error ? error.message : error}`,
      advice: `Make ${cacheDir} writable, on a file system that allows execution`,
    };
  }
}

async function git(): Promise<Point> {
  try {
    const { success, stdout } = await runProgram("git", { args: ["--version"] });
    if (success) {
      return { name: "git", state: "ok", found: new TextDecoder().decode(stdout).trim() };
    }
  } catch { /* it is missing: reported below */ }
  return {
    name: "git",
    state: "warn",
    found: "git does not run",
    advice: "Install git: deploy hooks need it to fetch repositories",
  };
}

/** Checks that the built-in country database can be read. */
async function countries(): Promise<Point> {
  const name = "countries";
  const { loadGeo } = await import("../../edge/mod.ts");
  let reason = "";
  const { geo } = await loadGeo({}, { warn: (message) => reason = message });
  return geo.isReadable() ? { name, state: "ok", found: "the country database can be read" } : {
    name,
    state: "fail",
    found: reason,
    advice: "Reinstall svc: no geo condition matches",
  };
}

/** Checks the database engines. The embedded engine is always available. */
async function databases(path: string): Promise<Point> {
  const { findPostgres } = await import("../../database/mod.ts");
  const [newest] = await findPostgres(path);
  const local = newest === undefined
    ? "no PostgreSQL on this machine for svc serve --postgres local"
    : `PostgreSQL ${newest.version} for svc serve --postgres local`;
  return { name: "databases", state: "ok", found: `embedded; ${local}` };
}

/** Returns the folder itself, or the nearest of its parents that exists. */
async function existing(path: string): Promise<string> {
  const there = await Deno.stat(path).then(() => true, () => false);
  return there || dirname(path) === path ? path : await existing(dirname(path));
}

/** Returns the free space on the data directory's file system, in bytes. */
async function freeSpace(dataDir: string): Promise<number> {
  const { bavail, bsize } = await statfs(await existing(dataDir));
  return bavail * bsize;
}

function judgeDisk(dataDir: string, free: number): Point {
  const found = `${formatBytes(free)} free for ${dataDir}`;
  return free >= LOW_DISK_BYTES ? { name: "disk", state: "ok", found } : {
    name: "disk",
    state: "warn",
    found,
    advice: "Free some space, or choose another directory with --data-dir",
  };
}

/** Runs all checks. They leave files only in the cache folder. */
export async function examine(
  { dataDir, cacheDir, env, kv, blobs, postgres, now }: ExamineOptions,
): Promise<readonly Point[]> {
  const support = probeSandbox();
  const freeBytes = await freeSpace(dataDir);
  const directory = await examineDataDir(dataDir);
  return [
    ...judgeServerSandbox(support),
    ...await examineNodeSandbox(support, env),
    await examineNode(env.PATH ?? ""),
    memoryWatch(),
    await processLimits(),
    await bundler(cacheDir),
    await git(),
    ...await examineToolchains(env),
    await countries(),
    await databases(env.PATH ?? ""),
    await examineBuildSandbox(env),
    judgeDisk(dataDir, freeBytes),
    ...directory.points,
    ...directory.isReadable
      ? await examineDatabases({ dataDir, env, freeBytes, now, ...definedOnly({ postgres }) })
      : [],
    ...kv === undefined ? [] : await examineStore(kv, env),
    ...blobs === undefined ? [] : [await examineBlobs(blobs, env)],
  ];
}
