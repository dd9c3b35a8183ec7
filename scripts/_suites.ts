/**
 * The suites of tests: which files they are, and how many of them run at once.
 *
 * @module
 */
import { join, relative } from "node:path";
import { leftOut } from "../tests/integration/_in_process.ts";
import type { DebianProgram } from "./_debian.ts";
import { listFiles, ROOT } from "./_source_files.ts";

/** How the files of a suite run. */
export type Runs =
  /** In threads of one process, `perProcessor` of them: quick to start. */
  | { readonly as: "threads"; readonly perProcessor: number }
  /** Each in a process of its own: what it leaves running ends with its file. */
  | { readonly as: "processes"; readonly perProcessor: number };

export interface Suite {
  readonly name: string;
  readonly folders: readonly string[];
  readonly runs: Runs;
  /** Files that begin before all others, since they take longest; the longest first. */
  readonly first: readonly string[];
  /** Files that run when all others have ended, one after the other, with the reason. */
  readonly alone: Readonly<Record<string, string>>;
  /** Debian programs without which tests of the suite are skipped. */
  readonly needs: readonly DebianProgram[];
}

const GIT: DebianProgram = { program: "git", package: "git" };
const OPENSSL: DebianProgram = { program: "openssl", package: "openssl" };
const CURL: DebianProgram = { program: "curl", package: "curl" };
/** The test server of the ACME protocol. */
const PEBBLE: DebianProgram = { program: "pebble", package: "pebble" };
const HAPROXY: DebianProgram = { program: "haproxy", package: "haproxy" };
const CHROMIUM: DebianProgram = { program: "chromium", package: "chromium" };

export const SUITES: readonly Suite[] = [
  {
    name: "unit",
    folders: ["src", "scripts"],
    runs: { as: "threads", perProcessor: 1 },
    first: [
      "src/database/hostile_queries_test.ts",
      "src/cli/db/transcript_test.ts",
      "src/database/engine_contract_test.ts",
      "src/database/embedded/crash_test.ts",
      "src/database/gateway/gateway_test.ts",
      "src/database/gateway/kill_test.ts",
    ],
    alone: {},
    needs: [GIT, OPENSSL],
  },
  {
    name: "integration",
    folders: ["tests/integration"],
    runs: { as: "threads", perProcessor: 1.5 },
    first: [
      "tests/integration/functions/places_test.ts",
      "tests/integration/builds/attack_test.ts",
      "tests/integration/builds/git_test.ts",
      "tests/integration/functions/process_test.ts",
      "tests/integration/hooks/concurrency_test.ts",
      "tests/integration/accounts/accounts_test.ts",
      "tests/integration/functions/hostile_test.ts",
      "tests/integration/compute/hostile_test.ts",
      "tests/integration/delivery/crash_test.ts",
    ],
    alone: {},
    needs: [GIT, OPENSSL, CURL, PEBBLE],
  },
  {
    name: "e2e",
    folders: ["tests/e2e"],
    runs: { as: "processes", perProcessor: 1.5 },
    first: [
      "tests/e2e/crash_test.ts",
      "tests/e2e/contract_test.ts",
      "tests/e2e/dev/dev_server_test.ts",
      "tests/e2e/astro_test.ts",
      "tests/e2e/frameworks_next_test.ts",
      "tests/e2e/frameworks_nuxt_test.ts",
      "tests/e2e/builds_volume_test.ts",
      "tests/e2e/upgrade_test.ts",
    ],
    alone: {},
    needs: [GIT, CURL],
  },
  {
    name: "browser",
    folders: ["tests/browser"],
    // A browser has several busy processes of its own.
    runs: { as: "processes", perProcessor: 1 },
    first: ["tests/browser/dashboard_test.ts", "tests/browser/accounts_test.ts"],
    alone: {},
    needs: [CHROMIUM],
  },
  {
    name: "cluster",
    folders: ["tests/cluster"],
    // Each has three platforms and all their servers.
    runs: { as: "processes", perProcessor: 0.01 },
    first: [],
    alone: {},
    needs: [GIT, HAPROXY],
  },
  {
    name: "projects",
    folders: ["tests/projects"],
    runs: { as: "processes", perProcessor: 1 },
    first: [],
    alone: {},
    needs: [CHROMIUM],
  },
];

/** One process of `deno test`. */
export interface Batch {
  readonly files: readonly string[];
  /** More than one runs files in so many threads. */
  readonly threads: number;
}

/** The batches of a suite: those of `together` run side by side, `atOnce` of them. */
export interface Plan {
  readonly flags: readonly string[];
  /** A suite that takes longer hangs. */
  readonly limitMs: number;
  readonly together: readonly Batch[];
  readonly atOnce: number;
  /** After those, one after the other. */
  readonly alone: readonly Batch[];
}

/** The tests that show in a short time that the program needs nothing but the C library. */
const EMPTY_ROOT_SHORT: readonly string[] = [
  "tests/e2e/dev/local_kv_test.ts",
  "tests/e2e/doctor_platform_test.ts",
  "tests/e2e/plain_site_test.ts",
  "tests/e2e/tour_test.ts",
];

const MINUTE_MS = 60_000;

const INTEGRATION = "tests/integration";

/** What a run is given: its variables, and how many processors there are. */
export interface Surroundings {
  readonly variable: (name: string) => string | undefined;
  readonly processors: number;
}

/** Plans a suite over its files, `files`, as paths from the root. */
export function planSuite(
  suite: Suite,
  files: readonly string[],
  { variable, processors }: Surroundings,
): Plan {
  const wanted = chooseFiles(suite, files, variable);
  const rank = (file: string) => {
    const place = suite.first.indexOf(file);
    return place === -1 ? suite.first.length : place;
  };
  const together = wanted.filter((file) => !Object.hasOwn(suite.alone, file))
    .toSorted((left, right) => rank(left) - rank(right));
  const alone = wanted.filter((file) => Object.hasOwn(suite.alone, file));
  const jobs = Math.max(1, Math.ceil(processors * suite.runs.perProcessor));
  const each = (file: string): Batch => ({ files: [file], threads: 1 });
  const isThreads = suite.runs.as === "threads";
  return {
    flags: preloadOf(suite, wanted, variable),
    limitMs: limitOf(suite, variable),
    together: isThreads
      ? together.length === 0 ? [] : [{ files: together, threads: jobs }]
      : together.map(each),
    atOnce: isThreads ? 1 : jobs,
    alone: alone.map(each),
  };
}

/** `KILL_ROUNDS=500`, or nodes that start from source, are slow, and not hung. */
function limitOf({ name }: Suite, variable: Surroundings["variable"]): number {
  return (name === "cluster" && variable("CLUSTER_TESTS") === "all" ? 90 : 15) * MINUTE_MS;
}

function chooseFiles(
  { name }: Suite,
  files: readonly string[],
  variable: Surroundings["variable"],
): readonly string[] {
  if (name === "e2e" && variable("EMPTY_ROOT") === "short") return [...EMPTY_ROOT_SHORT];
  if (name !== "integration") return files;
  return files.filter((file) => leftOut(relative(INTEGRATION, file), variable) !== "all");
}

/** Files of which only some tests run need the list of them before they are loaded. */
function preloadOf(
  { name }: Suite,
  files: readonly string[],
  variable: Surroundings["variable"],
): readonly string[] {
  const isNeeded = name === "integration" &&
    files.some((file) => leftOut(relative(INTEGRATION, file), variable) === "some");
  return isNeeded ? ["--preload", join(ROOT, INTEGRATION, "_in_process.ts")] : [];
}

/** The files of tests below the folders of a suite, as paths from the root. */
export function testFiles({ folders }: Suite): string[] {
  return folders.flatMap((folder) =>
    listFiles(join(ROOT, folder)).filter((file) => /_test\.tsx?$/.test(file))
      .map((file) => join(folder, file))
  );
}
