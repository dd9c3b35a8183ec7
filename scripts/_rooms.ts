/**
 * The rooms as data: allowed imports, and exceptions that bypass a folder's `mod.ts`.
 *
 * @module
 */

/** Each room below `src/`, with the rooms that it may import from. `lib` imports from none. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  cli: [
    "agents",
    "build",
    "client",
    "config",
    "contract",
    "database",
    "dev",
    "documents",
    "edge",
    "kv",
    "lib",
    "manifest",
    "release",
    "rules",
    "runtime",
    "serve",
    "settings",
    "toolchains",
  ],
  serve: [
    "contract",
    "database",
    "edge",
    "feed",
    "lib",
    "manifest",
    "platform",
    "rules",
    "runtime",
    "settings",
    "store",
    "traffic",
    "web",
  ],
  web: ["agents", "client", "contract", "documents", "lib", "manifest", "platform", "rules"],
  dev: [
    "build",
    "config",
    "contract",
    "edge",
    "kv",
    "lib",
    "manifest",
    "platform",
    "rules",
    "runtime",
    "store",
  ],
  platform: [
    "build",
    "contract",
    "database",
    "edge",
    "feed",
    "kv",
    "lib",
    "manifest",
    "rules",
    "runtime",
    "settings",
    "store",
    "toolchains",
    "traffic",
  ],
  build: ["config", "contract", "lib", "manifest", "rules", "runtime", "toolchains"],
  agents: ["client", "contract", "documents", "lib", "manifest"],
  client: ["contract", "lib"],
  contract: ["lib"],
  database: ["lib", "runtime"],
  documents: ["lib"],
  kv: ["lib", "store"],
  store: ["lib"],
  edge: ["feed", "lib", "manifest", "rules", "runtime", "traffic"],
  traffic: ["lib"],
  feed: ["lib"],
  runtime: ["lib"],
  toolchains: ["lib"],
  release: ["lib"],
  rules: ["lib"],
  manifest: ["lib"],
  config: ["lib"],
  settings: ["lib"],
  lib: [],
};

export interface Doorway {
  /** A file, or a folder with a trailing slash. */
  readonly path: string;
  readonly reason: string;
}

/** Files that can be imported without the `mod.ts` of their folder. */
export const DOORWAYS: readonly Doorway[] = [
  { path: "deno.json", reason: "is the only place that contains the program's version" },
  {
    path: "src/release/_test_releases.ts",
    reason: "tests use it to publish releases on this machine",
  },
  { path: "src/edge/geo/_test_mmdb.ts", reason: "tests use it to set an address's country" },
  {
    path: "src/platform/accounts/_test_accounts.ts",
    reason: "page tests use it to create accounts",
  },
  {
    path: "src/platform/core/s3/_test_storage.ts",
    reason: "tests use it to start object storage",
  },
  {
    path: "src/platform/notifications/_test_services.ts",
    reason: "tests with real servers use it to set the delivery clock",
  },
  {
    path: "src/platform/core/store/portable_store.ts",
    reason: "tests use it to leave records in the state after a crash",
  },
  {
    path: "src/platform/notifications/inbox/inboxes_bench.ts",
    reason: "is a bench that only scripts/bench runs",
  },
  {
    path: "src/runtime/node/sandbox/",
    reason: "tests use it to act as the process that starts Node",
  },
  {
    path: "tests/rules/",
    reason: "contains the naive evaluator and the generator that rule tests compare with",
  },
  {
    path: "src/rules/pattern/glob.ts",
    reason: "the tests' naive evaluator parses globs with it, but matches them with its own code",
  },
  { path: "src/rules/evaluate_bench.ts", reason: "is a bench that only scripts/bench runs" },
  { path: "src/manifest/route_table_bench.ts", reason: "is a bench that only scripts/bench runs" },
  { path: "src/edge/cache/http_cache_bench.ts", reason: "is a bench that only scripts/bench runs" },
  {
    path: "src/edge/rate_limit/rate_limiter_bench.ts",
    reason: "is a bench that only scripts/bench runs",
  },
  {
    path: "src/runtime/bundle/load_esbuild.ts",
    reason: "names esbuild's packages; compiling does not need the rest of the room",
  },
  {
    path: "src/runtime/node/bundle_preload.ts",
    reason: "names the code that Node loads first; compiling does not need the rest of the room",
  },
  {
    path: "src/runtime/node/preload_text.ts",
    reason: "names the file in the stage that Node loads first",
  },
  {
    path: "src/runtime/functions/process_main.ts",
    reason: "a process for functions loads nothing else",
  },
  {
    path: "src/runtime/compute/process_main.ts",
    reason: "a server process loads nothing else",
  },
  {
    path: "src/runtime/images/process_main.ts",
    reason: "a process for images loads nothing else",
  },
  {
    path: "src/database/server/_test_server.ts",
    reason: "tests of other rooms use it to start PostgreSQL, if the machine has it",
  },
  {
    path: "src/platform/core/store/_test_pg.ts",
    reason: "tests of other rooms use it to create a store in PostgreSQL",
  },
  {
    path: "src/database/embedded/process_main.ts",
    reason: "a database process loads nothing else",
  },
  ...["src/runtime/compute/sandbox/seal_process.ts", "src/runtime/process/"].map((path) => ({
    path,
    reason: "a database process starts like those that run project code, so it loads this too",
  })),
  {
    path: "src/runtime/node/process_main.ts",
    reason: "a server process loads nothing else",
  },
  {
    path: "src/runtime/command/process_main.ts",
    reason: "a server process loads nothing else",
  },
  {
    path: "src/runtime/node/probe_main.ts",
    reason: "the process that tests Node's sandbox loads nothing else",
  },
];
