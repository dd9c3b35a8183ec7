/**
 * The suites of tests: which files they are, and how many of them run at once.
 *
 * @module
 */
import { dirname, join } from "node:path";
import type { DebianProgram } from "./_debian.ts";
import { listFiles, ROOT } from "./_source_files.ts";

/** How the files of a suite run. */
export type Runs =
  /** In threads of one process, `perProcessor` of them: quick to start. */
  | { readonly as: "threads"; readonly perProcessor: number }
  /** Each in its own process: what it leaves running ends with its file. */
  | { readonly as: "processes"; readonly perProcessor: number };

export interface Suite {
  readonly name: string;
  readonly folders: readonly string[];
  readonly runs: Runs;
  /** Files that begin before all others, since they take longest; the longest first. */
  readonly first: readonly string[];
  /** Files that change the process they run in, such as its limits: each runs in its own. */
  readonly alone?: readonly string[];
  /** The files of `deno task test`; missing if that runs all but those of `first`. */
  readonly short?: readonly string[];
  /** The program that its tests start instead of the compiled one, as a path from the root. */
  readonly program?: string;
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
const QEMU: DebianProgram = { program: "qemu-aarch64-static", package: "qemu-user-static" };

export const SUITES: readonly Suite[] = [
  {
    name: "unit",
    folders: ["src", "scripts"],
    runs: { as: "threads", perProcessor: 1 },
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
    // They start Node as its launcher does, which limits its own memory and descriptors.
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
    // A browser has several busy its own processes.
    runs: { as: "processes", perProcessor: 1 },
    first: ["tests/browser/dashboard_test.ts", "tests/browser/accounts_test.ts"],
    short: ["tests/browser/dashboard_test.ts"],
    needs: [CHROMIUM],
  },
  {
    name: "cluster",
    folders: ["tests/cluster"],
    // Each has three platforms and all their servers.
    runs: { as: "processes", perProcessor: 0.01 },
    first: [],
    short: [],
    needs: [GIT, HAPROXY],
  },
  {
    name: "projects",
    folders: ["tests/projects"],
    runs: { as: "processes", perProcessor: 1 },
    first: [],
    short: [],
    needs: [CHROMIUM],
  },
  {
    name: "arm64",
    folders: ["tests/arm64"],
    runs: { as: "processes", perProcessor: 1 },
    first: [],
    short: [],
    program: "scripts/in_arm64.sh",
    needs: [QEMU],
  },
];

/** One process of `deno test`. */
export interface Batch {
  readonly files: readonly string[];
  /** More than one runs files in so many threads. */
  readonly threads: number;
}

/** The batches of a suite, of which `atOnce` run side by side. */
export interface Plan {
  /** A suite that takes longer hangs. */
  readonly limitMs: number;
  readonly batches: readonly Batch[];
  readonly atOnce: number;
  /** Path of what the tests start; the program of `SVC_BIN` by default. */
  readonly program?: string;
}

/** The tests that show in a short time that the program needs nothing but the C library. */
const EMPTY_ROOT_SHORT: readonly string[] = [
  "tests/e2e/dev/local_kv_test.ts",
  "tests/e2e/doctor_platform_test.ts",
  "tests/e2e/plain_site_test.ts",
  "tests/e2e/tour_test.ts",
];

const MINUTE_MS = 60_000;

/** The inputs of a run: its variables, and the number of processors. */
export interface Surroundings {
  readonly variable: (name: string) => string | undefined;
  readonly processors: number;
}

/**
 * Spreads the files of each folder evenly over a run. Files of a folder are alike: those of one
 * wait for timers while those of another compute, so a mix keeps all processors busy.
 */
function mixFolders(files: readonly string[]): string[] {
  const folders = Map.groupBy(files, dirname);
  const place = (file: string) => {
    const siblings = folders.get(dirname(file))!;
    return (siblings.indexOf(file) + 0.5) / siblings.length;
  };
  return files.toSorted((left, right) => place(left) - place(right));
}

/** Plans a suite over some of its files, as paths from the root. */
export function planSuite(
  suite: Suite,
  files: readonly string[],
  { variable, processors }: Surroundings,
): Plan {
  const rank = (file: string) => {
    const place = suite.first.indexOf(file);
    return place === -1 ? suite.first.length : place;
  };
  const ordered = mixFolders(files).toSorted((left, right) => rank(left) - rank(right));
  const jobs = Math.max(1, Math.ceil(processors * suite.runs.perProcessor));
  const isThreads = suite.runs.as === "threads";
  const isAlone = (file: string) => !isThreads || suite.alone?.includes(file) === true;
  const together = ordered.filter((file) => !isAlone(file));
  return {
    limitMs: limitOf(suite, variable),
    batches: [
      ...(together.length === 0 ? [] : [{ files: together, threads: jobs }]),
      ...ordered.filter(isAlone).map((file) => ({ files: [file], threads: 1 })),
    ],
    atOnce: isThreads ? 1 : jobs,
    ...(suite.program === undefined ? {} : { program: join(ROOT, suite.program) }),
  };
}

/** The long forms (`KILL_ROUNDS=500`, `CLUSTER_TESTS=all`) are slow, and not hung. */
function limitOf({ name }: Suite, variable: Surroundings["variable"]): number {
  return (name === "cluster" && variable("CLUSTER_TESTS") === "all" ? 90 : 30) * MINUTE_MS;
}

/** How much of a suite runs. */
export type Extent =
  /** All of its files. */
  | "all"
  /** Those of `deno task test`: every capability once. */
  | "short"
  /** All but those. */
  | "rest"
  /** Those that show in an empty root that the program needs nothing but the C library. */
  | "empty root";

/** The files of a suite that run. */
export function chooseFiles(suite: Suite, extent: Extent): readonly string[] {
  if (extent === "all") return testFiles(suite);
  if (extent === "empty root") return suite.name === "e2e" ? EMPTY_ROOT_SHORT : [];
  const isShort = (file: string) =>
    suite.short === undefined ? !suite.first.includes(file) : suite.short.includes(file);
  return testFiles(suite).filter((file) => isShort(file) === (extent === "short"));
}

/** The files of tests below the folders of a suite, as paths from the root. */
export function testFiles({ folders }: Suite): string[] {
  return folders.flatMap((folder) =>
    listFiles(join(ROOT, folder)).filter((file) => /_test\.tsx?$/.test(file))
      .map((file) => join(folder, file))
  );
}
