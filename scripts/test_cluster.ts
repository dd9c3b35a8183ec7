/**
 * `deno task test:cluster`: the long form of the suite `cluster`, with three PostgreSQL servers
 * under Patroni and its own object storage. As root on Debian, it installs its dependencies.
 * Everything that it starts stops when it exits.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the CLI
import { type DebianProgram, installMissing } from "./_debian.ts";
import { isInstalled, show } from "./_process.ts";

const NEEDED: readonly DebianProgram[] = [
  { program: "git", package: "git" },
  { program: "pg_ctlcluster", package: "postgresql" },
  { program: "patroni", package: "patroni" },
  { program: "etcd", package: "etcd-server" },
  { program: "haproxy", package: "haproxy" },
];

if (Deno.uid() !== 0) {
  console.error(
    "Run the suite as root, because it starts servers as other users and stops them all",
  );
  Deno.exit(2);
}
const missing = await installMissing(NEEDED);
for (const each of missing) console.error(`Install Debian's ${each.package} first`);
if (!isInstalled("versitygw") && !isInstalled("go")) {
  console.error("Install the object storage versitygw first, or Go, which builds it");
  Deno.exit(2);
}
if (missing.length > 0) Deno.exit(2);
// Uses a process namespace, in which no process outlives the first one.
const code = await show([
  ...["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] as [string, ...string[]],
  Deno.execPath(),
  "run",
  "-A",
  "--frozen",
  "scripts/run_tests.ts",
  "cluster",
], { env: { CLUSTER_TESTS: "all" } });
Deno.exit(code);
