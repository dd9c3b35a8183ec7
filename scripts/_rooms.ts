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
    "traffic",
  ],
  build: ["config", "contract", "lib", "manifest", "rules", "runtime"],
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
  { path: "deno.json", reason: "holds the version of the program, in one place" },
  {
    path: "src/release/_test_releases.ts",
    reason: "lets tests publish releases on this machine",
  },
  { path: "src/edge/geo/_test_mmdb.ts", reason: "lets tests say which country an address is in" },
  {
    path: "src/platform/accounts/_test_accounts.ts",
    reason: "lets tests of pages have accounts",
  },
  {
    path: "src/platform/core/s3/_test_storage.ts",
    reason: "lets tests have object storage",
  },
  {
    path: "src/platform/notifications/_test_services.ts",
    reason: "lets tests with real servers set the clock of deliveries",
  },
  {
    path: "src/platform/core/store/portable_store.ts",
    reason: "lets tests leave records as a crash would have left them",
  },
  {
    path: "src/platform/notifications/inbox/inboxes_bench.ts",
    reason: "a bench, which only scripts/bench runs",
  },
  {
    path: "src/runtime/node/sandbox/",
    reason: "lets tests be the process that starts Node",
  },
  {
    path: "tests/rules/",
    reason: "holds the naive evaluator and the generator that tests of rules compare with",
  },
  {
    path: "src/rules/pattern/glob.ts",
    reason:
      "lets the naive evaluator of the tests read globs, which it then matches in its own way",
  },
  { path: "src/rules/evaluate_bench.ts", reason: "a bench, which only scripts/bench runs" },
  { path: "src/manifest/route_table_bench.ts", reason: "a bench, which only scripts/bench runs" },
  { path: "src/edge/cache/http_cache_bench.ts", reason: "a bench, which only scripts/bench runs" },
  {
    path: "src/edge/rate_limit/rate_limiter_bench.ts",
    reason: "a bench, which only scripts/bench runs",
  },
  {
    path: "src/runtime/bundle/load_esbuild.ts",
    reason: "names esbuild's packages; compiling does without the rest of the room",
  },
  {
    path: "src/runtime/node/bundle_preload.ts",
    reason: "names what Node loads first; compiling does without the rest of the room",
  },
  {
    path: "src/runtime/node/preload_text.ts",
    reason: "names the file that Node loads first in the stage",
  },
  {
    path: "src/runtime/functions/process_main.ts",
    reason: "a process of functions loads nothing else",
  },
  {
    path: "src/runtime/compute/process_main.ts",
    reason: "the process of a server loads nothing else",
  },
  {
    path: "src/runtime/images/process_main.ts",
    reason: "a process of images loads nothing else",
  },
  {
    path: "src/database/server/_test_server.ts",
    reason: "lets tests of other rooms start a PostgreSQL, if the machine has one",
  },
  {
    path: "src/platform/core/store/_test_pg.ts",
    reason: "lets tests of other rooms have a store in PostgreSQL",
  },
  {
    path: "src/database/embedded/process_main.ts",
    reason: "the process of a database loads nothing else",
  },
  ...["src/runtime/compute/sandbox/seal_process.ts", "src/runtime/process/"].map((path) => ({
    path,
    reason:
      "the process of a database is started as those of foreign code are, and loads this much",
  })),
  {
    path: "src/runtime/node/process_main.ts",
    reason: "the process of a server loads nothing else",
  },
  {
    path: "src/runtime/command/process_main.ts",
    reason: "the process of a server loads nothing else",
  },
  {
    path: "src/runtime/node/probe_main.ts",
    reason: "the process that tries the sandbox of Node loads nothing else",
  },
];
