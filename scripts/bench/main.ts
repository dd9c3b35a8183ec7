/**
 * `deno task bench [edge|redirects|files|rules|routes|publish|cache|limits|kv|cluster|dev|databases
 * …]`: runs benches and prints tables with targets. Uses only loopback, stops everything that it
 * starts, and puts its files in temporary folders.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the CLI
import { type DebianProgram, installMissing } from "../_debian.ts";

interface Bench {
  readonly name: string;
  readonly needs: readonly DebianProgram[];
  readonly run: () => Promise<string>;
}

const LOAD: readonly DebianProgram[] = [
  { program: "openssl", package: "openssl" },
  { program: "wrk", package: "wrk" },
  { program: "h2load", package: "nghttp2-client" },
];

const PEERS: readonly DebianProgram[] = [
  ...LOAD,
  { program: "nginx", package: "nginx-light" },
  { program: "caddy", package: "caddy" },
];

const BENCHES: readonly Bench[] = [
  {
    name: "start",
    needs: [],
    run: async () => await (await import("./start_bench.ts")).benchStart(),
  },
  { name: "rules", needs: [], run: async () => (await import("./rules_bench.ts")).benchRules() },
  { name: "routes", needs: [], run: async () => (await import("./rules_bench.ts")).benchRoutes() },
  {
    name: "publish",
    needs: [],
    run: async () => await (await import("./publish_bench.ts")).benchPublish(),
  },
  {
    name: "files",
    needs: [],
    run: async () => await (await import("./files_bench.ts")).benchFiles(),
  },
  {
    name: "cache",
    needs: [],
    run: async () => await (await import("./memory_bench.ts")).benchCache(),
  },
  {
    name: "limits",
    needs: [],
    run: async () => (await import("./memory_bench.ts")).benchRateLimits(),
  },
  {
    name: "edge",
    needs: PEERS,
    run: async () => await (await import("./edge_bench.ts")).benchEdge(),
  },
  {
    name: "cores",
    needs: LOAD,
    run: async () => await (await import("./cores_bench.ts")).benchCores(),
  },
  {
    name: "redirects",
    needs: PEERS,
    run: async () => await (await import("./redirects_bench.ts")).benchRedirects(),
  },
  {
    name: "hits",
    needs: PEERS,
    run: async () => await (await import("./proxy_bench.ts")).benchCache(),
  },
  {
    name: "proxy",
    needs: PEERS,
    run: async () => await (await import("./proxy_bench.ts")).benchProxy(),
  },
  {
    name: "downloads",
    needs: [...PEERS, { program: "curl", package: "curl" }],
    run: async () => await (await import("./downloads_bench.ts")).benchDownloads(),
  },
  {
    name: "deploys",
    needs: LOAD,
    run: async () => await (await import("./deploys_bench.ts")).benchDeploys(),
  },
  {
    name: "live",
    needs: [{ program: "npm", package: "npm" }],
    run: async () => await (await import("./live_bench.ts")).benchLive(),
  },
  {
    name: "images",
    needs: [],
    run: async () => await (await import("./images_bench.ts")).benchImages(),
  },
  {
    name: "accounts",
    needs: LOAD,
    run: async () => await (await import("./accounts_bench.ts")).benchAccounts(),
  },
  {
    name: "dashboard",
    needs: [],
    run: async () => (await import("./dashboard_bench.ts")).benchDashboard(),
  },
  {
    name: "notifications",
    needs: [],
    run: async () => await (await import("./notifications_bench.ts")).benchNotifications(),
  },
  {
    name: "hooks",
    needs: [],
    run: async () => await (await import("./hooks_bench.ts")).benchHooks(),
  },
  {
    name: "writes",
    needs: LOAD,
    run: async () => await (await import("./writes_bench.ts")).benchWrites(),
  },
  {
    name: "cluster",
    needs: [
      { program: "pg_ctlcluster", package: "postgresql" },
      { program: "patroni", package: "patroni" },
      { program: "etcd", package: "etcd-server" },
    ],
    run: async () => await (await import("./cluster_bench.ts")).benchCluster(),
  },
  {
    name: "kv",
    needs: [
      { program: "wrk", package: "wrk" },
      { program: "redis-server", package: "redis-server" },
    ],
    run: async () => await (await import("./kv_bench.ts")).benchKv(),
  },
  {
    name: "blobs",
    needs: [{ program: "wrk", package: "wrk" }, { program: "curl", package: "curl" }],
    run: async () => await (await import("./blobs_bench.ts")).benchBlobs(),
  },
  {
    name: "queues",
    needs: [{ program: "redis-server", package: "redis-server" }],
    run: async () => await (await import("./queues_bench.ts")).benchQueues(),
  },
  {
    name: "dev",
    needs: [{ program: "npm", package: "npm" }],
    run: async () => await (await import("./dev_bench.ts")).benchDev(),
  },
  {
    name: "databases",
    needs: [{ program: "pg_ctlcluster", package: "postgresql" }],
    run: async () => await (await import("./databases_bench.ts")).benchDatabases(),
  },
  {
    name: "functions",
    needs: LOAD,
    run: async () => await (await import("./functions_bench.ts")).benchFunctions(),
  },
  {
    name: "compute",
    needs: PEERS,
    run: async () => await (await import("./compute_bench.ts")).benchCompute(),
  },
];

const unknown = Deno.args.filter((name) => !BENCHES.some((bench) => bench.name === name));
if (unknown.length > 0) {
  const names = BENCHES.map(({ name }) => name).join(", ");
  console.error(`Unknown bench ${unknown.join(", ")}: choose from ${names}`);
  Deno.exit(2);
}

for (const { name, needs, run } of BENCHES) {
  if (Deno.args.length > 0 && !Deno.args.includes(name)) continue;
  console.log(`\n== ${name}`);
  const missing = await installMissing(needs);
  if (missing.length > 0) {
    const packages = missing.map((item) => item.package).join(", ");
    console.log(`Skipped: install Debian's ${packages} to run this bench`);
    continue;
  }
  console.log(await run());
}
