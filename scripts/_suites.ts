/**
 * The test suites: their files, and how many files run in parallel.
 *
 * @module
 */
import { dirname, join } from "node:path";
import type { DebianProgram } from "./_debian.ts";
import { listFiles, ROOT } from "./_source_files.ts";

/** Defines how the files of a suite run. */
export type Runs =
  /**
   * Files run in threads of one process, because threads start fast. There are `perProcessor`
   * threads for each processor. Up to `share` files run in each thread, one after another.
   */
  | { readonly as: "threads"; readonly perProcessor: number; readonly share: number }
  /**
   * Each file runs in its own process, and everything that the process has started stops with it.
   * Suites of this kind run side by side, so that no suite waits for the longest file of another.
   */
  | { readonly as: "processes" }
  /** The same, but one file at a time, with nothing else running. */
  | { readonly as: "lone processes" };

/**
 * Number of processes that run in parallel for each processor. It is more than 1 because processes
 * spend some of their time waiting.
 */
const PROCESSES_PER_PROCESSOR = 1.5;

export interface Suite {
  readonly name: string;
  readonly folders: readonly string[];
  readonly runs: Runs;
  /** Files that start first because they take longest, in descending order of duration. */
  readonly first: readonly string[];
  /**
   * Files that change the process in which they run, such as its limits. Each runs in its own
   * process.
   */
  readonly alone?: readonly string[];
  /**
   * The files that `deno task test` runs. Missing if `deno task test` runs all files except those
   * in `first`.
   */
  readonly short?: readonly string[];
  /**
   * Path, relative to the root, of the program that the suite's tests start instead of the compiled
   * one.
   */
  readonly program?: string;
  /** Debian programs that the suite needs; tests are skipped if they are missing. */
  readonly needs: readonly DebianProgram[];
}

const GIT: DebianProgram = { program: "git", package: "git" };
const OPENSSL: DebianProgram = { program: "openssl", package: "openssl" };
const CURL: DebianProgram = { program: "curl", package: "curl" };
/** The test server for the ACME protocol. */
const PEBBLE: DebianProgram = { program: "pebble", package: "pebble" };
const HAPROXY: DebianProgram = { program: "haproxy", package: "haproxy" };
const CHROMIUM: DebianProgram = { program: "chromium", package: "chromium" };
const QEMU: DebianProgram = { program: "qemu-aarch64-static", package: "qemu-user-static" };

export const SUITES: readonly Suite[] = [
  {
    name: "unit",
    folders: ["src", "scripts"],
    runs: { as: "threads", perProcessor: 1.5, share: 16 },
    first: [
      "src/database/embedded/history/embedded_history_test.ts",
      "src/database/hostile_queries_test.ts",
      "src/platform/databases/real_engines_test.ts",
      "src/database/server/server_engine_test.ts",
      "src/cli/db/transcript_test.ts",
      "src/database/engine_contract_test.ts",
      "src/database/embedded/crash_test.ts",
      "src/database/gateway/gateway_test.ts",
      "src/database/gateway/kill_test.ts",
    ],
    needs: [GIT, OPENSSL],
  },
  {
    name: "integration",
    folders: ["tests/integration"],
    runs: { as: "threads", perProcessor: 1.5, share: 4 },
    first: [
      "tests/integration/compute/hostile_test.ts",
      "tests/integration/accounts/accounts_test.ts",
      "tests/integration/databases/databases_test.ts",
      "tests/integration/agents/every_answer_test.ts",
      "tests/integration/hooks/concurrency_test.ts",
      "tests/integration/push/push_test.ts",
      "tests/integration/builds/attack_test.ts",
      "tests/integration/images/engine_test.ts",
      "tests/integration/builds/git_test.ts",
      "tests/integration/compute/process_test.ts",
    ],
    // These tests start Node in the same way as its launcher, which limits its own memory and
    // descriptors.
    alone: [
      "tests/integration/node/launch_test.ts",
      "tests/integration/node/native_attacks_test.ts",
    ],
    short: [
      "tests/integration/access/key_reach_test.ts",
      "tests/integration/access/publishers_test.ts",
      "tests/integration/access/workspace_isolation_test.ts",
      "tests/integration/accounts/device_flow_test.ts",
      "tests/integration/accounts/openid_client_test.ts",
      "tests/integration/agents/mcp_test.ts",
      "tests/integration/api/api_test.ts",
      "tests/integration/blobs/s3_test.ts",
      "tests/integration/builds/life_test.ts",
      "tests/integration/builds/start_test.ts",
      "tests/integration/compute/cron_test.ts",
      "tests/integration/compute/edge_test.ts",
      "tests/integration/compute/isr_test.ts",
      "tests/integration/compute/kv_test.ts",
      "tests/integration/compute/logs_test.ts",
      "tests/integration/databases/dumps_test.ts",
      "tests/integration/delivery/email_channel_test.ts",
      "tests/integration/delivery/messenger_channel_test.ts",
      "tests/integration/delivery/push_channel_test.ts",
      "tests/integration/delivery/webhook_channel_test.ts",
      "tests/integration/deployments/difference_test.ts",
      "tests/integration/deployments/promote_test.ts",
      "tests/integration/domains/domains_test.ts",
      "tests/integration/domains/tls_test.ts",
      "tests/integration/edge/differential_test.ts",
      "tests/integration/edge/proxied_site_test.ts",
      "tests/integration/edges/edge_cache_test.ts",
      "tests/integration/edges/edge_reports_test.ts",
      "tests/integration/edges/front_edge_test.ts",
      "tests/integration/edges/local_edges_test.ts",
      "tests/integration/environments/variables_test.ts",
      "tests/integration/functions/kv_test.ts",
      "tests/integration/functions/steps_test.ts",
      "tests/integration/hooks/cli_test.ts",
      "tests/integration/hooks/events_test.ts",
      "tests/integration/hooks/forges_test.ts",
      "tests/integration/images/endpoint_test.ts",
      "tests/integration/logs/logs_test.ts",
      "tests/integration/node/launch_test.ts",
      "tests/integration/nodes/leading_test.ts",
      "tests/integration/notifications/inbox_test.ts",
      "tests/integration/notifications/stream_test.ts",
      "tests/integration/pages/dashboard_test.ts",
      "tests/integration/pages/docs_test.ts",
      "tests/integration/pages/pages_test.ts",
      "tests/integration/platform/operations_test.ts",
      "tests/integration/platform/portable_store_test.ts",
      "tests/integration/platform/same_defaults_test.ts",
      "tests/integration/push/push_test.ts",
      "tests/integration/retention/retention_test.ts",
      "tests/integration/rules/contract_test.ts",
      "tests/integration/rules/http_test.ts",
      "tests/integration/rules/rules_test.ts",
      "tests/integration/traffic/errors_test.ts",
      "tests/integration/traffic/traffic_test.ts",
    ],
    needs: [GIT, OPENSSL, CURL, PEBBLE],
  },
  {
    name: "e2e",
    folders: ["tests/e2e"],
    runs: { as: "processes" },
    first: [
      "tests/e2e/database_history_test.ts",
      "tests/e2e/damage_test.ts",
      "tests/e2e/backup_test.ts",
      "tests/e2e/doctor_platform_test.ts",
      "tests/e2e/monorepo_push_test.ts",
      "tests/e2e/languages_test.ts",
      "tests/e2e/database_previews_test.ts",
      "tests/e2e/backup_places_test.ts",
      "tests/e2e/astro_test.ts",
      "tests/e2e/upgrade_test.ts",
    ],
    short: [
      "tests/e2e/backup_test.ts",
      "tests/e2e/completion_test.ts",
      "tests/e2e/dev/local_kv_test.ts",
      "tests/e2e/dev/visitors_test.ts",
      "tests/e2e/doctor_platform_test.ts",
      "tests/e2e/env_exec_test.ts",
      "tests/e2e/functions_test.ts",
      "tests/e2e/keys_test.ts",
      "tests/e2e/plain_site_test.ts",
      "tests/e2e/push_to_preview_test.ts",
      "tests/e2e/restart_test.ts",
      "tests/e2e/rules_import_test.ts",
      "tests/e2e/tour_test.ts",
    ],
    needs: [GIT, CURL],
  },
  {
    name: "browser",
    folders: ["tests/browser"],
    runs: { as: "processes" },
    first: ["tests/browser/dashboard_test.ts", "tests/browser/accounts_test.ts"],
    short: ["tests/browser/dashboard_test.ts"],
    needs: [CHROMIUM],
  },
  {
    name: "cluster",
    folders: ["tests/cluster"],
    // Each file starts three platforms and all their servers.
    runs: { as: "lone processes" },
    first: [],
    short: [],
    needs: [GIT, HAPROXY],
  },
  {
    name: "projects",
    folders: ["tests/projects"],
    runs: { as: "processes" },
    first: ["tests/projects/projects_test.ts"],
    short: [],
    needs: [CHROMIUM],
  },
  {
    name: "arm64",
    folders: ["tests/arm64"],
    runs: { as: "processes" },
    // This file compiles the program before its tests start.
    first: ["tests/arm64/program_test.ts"],
    short: [],
    program: "scripts/in_arm64.sh",
    needs: [QEMU],
  },
];

/** One process of `deno test`. */
export interface Batch {
  /** Files that share a thread, as paths relative to the root. */
  readonly groups: readonly (readonly string[])[];
  /** Number of threads that the groups run in, if it is more than 1. */
  readonly threads: number;
  /** Path of the program that the tests start. By default, it is the program in `SVC_BIN`. */
  readonly program?: string;
}

/** Batches of suites that run together. `atOnce` batches run in parallel. */
export interface Plan {
  /** The names of the plan's suites. */
  readonly name: string;
  /** Maximum time in milliseconds. A plan that takes longer counts as hung. */
  readonly limitMs: number;
  readonly batches: readonly Batch[];
  readonly atOnce: number;
}

/** A suite, and the files to run from it. */
interface ChosenSuite {
  readonly suite: Suite;
  /** Paths relative to the root. */
  readonly files: readonly string[];
}

/** Fast tests that show that the program needs only the C library. */
const EMPTY_ROOT_SHORT: readonly string[] = [
  "tests/e2e/dev/local_kv_test.ts",
  "tests/e2e/doctor_platform_test.ts",
  "tests/e2e/plain_site_test.ts",
  "tests/e2e/tour_test.ts",
];

const MINUTE_MS = 60_000;

/** The environment variables and the number of processors of the machine that runs the tests. */
export interface Surroundings {
  readonly variable: (name: string) => string | undefined;
  readonly processors: number;
}

/**
 * Spreads the files of each folder evenly over a run. The files of a folder are similar: some
 * folders mostly wait for timers, and others compute. Mixing them keeps all processors busy.
 */
function mixFolders(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, dirname);
  const place = (file: string) => {
    const siblings = folders.get(dirname(file))!;
    return (siblings.indexOf(file) + 0.5) / siblings.length;
  };
  return files.toSorted((left, right) => place(left) - place(right));
}

/** Returns the files of all suites in start order, each with its suite. */
function orderFiles(chosen: readonly ChosenSuite[]): { suite: Suite; file: string }[] {
  const suiteOf = new Map(chosen.flatMap(({ suite, files }) => files.map((file) => [file, suite])));
  const rank = (file: string) => {
    const { first } = suiteOf.get(file)!;
    return first.includes(file) ? first.indexOf(file) : Infinity;
  };
  return mixFolders([...suiteOf.keys()])
    .toSorted((left, right) => rank(left) === rank(right) ? 0 : rank(left) - rank(right))
    .map((file) => ({ suite: suiteOf.get(file)!, file }));
}

/**
 * Groups files that share a thread. Adjacent files share a thread, because they import the same
 * modules.
 */
function shareThreads(files: readonly string[], { first, share }: {
  /** Files that do not share a thread with any other file. */
  readonly first: readonly string[];
  readonly share: number;
}): string[][] {
  const others = files.filter((file) => !first.includes(file)).toSorted();
  const groups = new Map<string, string[]>();
  for (let at = 0; at < others.length; at += share) {
    const group = others.slice(at, at + share);
    groups.set(group[0]!, group);
  }
  return [
    ...files.filter((file) => first.includes(file)).map((file) => [file]),
    ...mixFolders([...groups.keys()]).map((file) => groups.get(file)!),
  ];
}

/** Plans suites whose files run the same way. There must be at least one suite. */
function planAlike(chosen: readonly ChosenSuite[], { variable, processors }: Surroundings): Plan {
  const { runs, first } = chosen[0]!.suite;
  const ordered = orderFiles(chosen);
  const isThreads = runs.as === "threads";
  const isTogether = ({ suite, file }: typeof ordered[number]) =>
    isThreads && suite.alone?.includes(file) !== true;
  const together = ordered.filter(isTogether).map(({ file }) => file);
  const groups = isThreads ? shareThreads(together, { first, share: runs.share }) : [];
  const threads = isThreads ? Math.ceil(processors * runs.perProcessor) : 1;
  return {
    name: chosen.map(({ suite }) => suite.name).join(", "),
    limitMs: Math.max(...chosen.map(({ suite }) => limitOf(suite, variable))),
    batches: [
      ...(groups.length === 0 ? [] : [{ groups, threads }]),
      ...ordered.filter((each) => !isTogether(each)).map(({ suite: { program }, file }) => ({
        groups: [[file]],
        threads: 1,
        ...(program === undefined ? {} : { program: join(ROOT, program) }),
      })),
    ],
    atOnce: runs.as === "processes" ? Math.ceil(processors * PROCESSES_PER_PROCESSOR) : 1,
  };
}

/** Plans the suites, in the order in which they run. */
export function planSuites(
  chosen: readonly ChosenSuite[],
  surroundings: Surroundings,
): readonly Plan[] {
  const alike = Map.groupBy(
    chosen,
    ({ suite: { name, runs } }) => runs.as === "processes" ? runs.as : name,
  );
  return [...alike.values()].map((suites) => planAlike(suites, surroundings));
}

/**
 * Returns the time after which a suite counts as hung. The long variants (`KILL_ROUNDS=500`,
 * `CLUSTER_TESTS=all`) take longer than the others.
 */
function limitOf({ name }: Suite, variable: Surroundings["variable"]): number {
  return (name === "cluster" && variable("CLUSTER_TESTS") === "all" ? 90 : 40) * MINUTE_MS;
}

/** The part of a suite to run. */
export type Extent =
  /** All files of the suite. */
  | "all"
  /** The tests of `deno task test`: every capability once. */
  | "short"
  /** All other files. */
  | "rest"
  /** Tests in an empty root that show that the program needs only the C library. */
  | "empty root";

/** Returns the files of a suite to run. */
export function chooseFiles(suite: Suite, extent: Extent): readonly string[] {
  if (extent === "all") return testFiles(suite);
  if (extent === "empty root") return suite.name === "e2e" ? EMPTY_ROOT_SHORT : [];
  const isShort = (file: string) =>
    suite.short === undefined ? !suite.first.includes(file) : suite.short.includes(file);
  return testFiles(suite).filter((file) => isShort(file) === (extent === "short"));
}

/** Returns the test files below the folders of a suite, as paths relative to the root. */
export function testFiles({ folders }: Suite): string[] {
  return folders.flatMap((folder) =>
    listFiles(join(ROOT, folder)).filter((file) => /_test\.tsx?$/.test(file))
      .map((file) => join(folder, file))
  );
}
