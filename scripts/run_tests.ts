/**
 * `deno task test [unit|integration|e2e|browser|cluster …]`: runs the suites and ends
 * with one line, `N passed, N failed`, over all of them. Before it stands a line
 * `FLAKY: <file> <test>` for each test that failed once, and then passed alone.
 *
 * `EMPTY_ROOT` runs the e2e tests against dist/svc in a root of its own: `libc` where that holds
 * nothing but the C library, `short` a few of them, `tools` with the programs of this machine.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the tool
import { join } from "node:path";
import { installMissing } from "./_debian.ts";
import { type Flaky, flakyLine } from "./_flaky.ts";
import { runSuite } from "./_run_suite.ts";
import { ROOT } from "./_source_files.ts";
import { planSuite, SUITES, testFiles } from "./_suites.ts";
import { addCounts, formatCounts, NO_COUNTS } from "./_test_counts.ts";

const unknown = Deno.args.filter((name) => !SUITES.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(
    `Name suites of ${SUITES.map(({ name }) => name).join(", ")}: ${unknown.join(", ")} is none`,
  );
  Deno.exit(2);
}

/** The programs that start dist/svc in a root, by the values of `EMPTY_ROOT`. */
const ROOTS = { libc: "in_empty_root.sh", short: "in_empty_root.sh", tools: "in_tools_root.sh" };
const root = Deno.env.get("EMPTY_ROOT");
if (root !== undefined) {
  if (!Object.hasOwn(ROOTS, root)) {
    console.error(`Set EMPTY_ROOT to one of ${Object.keys(ROOTS).join(", ")}: ${root} is none`);
    Deno.exit(2);
  }
  Deno.env.set("SVC_BIN", join(ROOT, "scripts", ROOTS[root as keyof typeof ROOTS]));
}
const chosen = SUITES.filter(({ name }) => Deno.args.length === 0 || Deno.args.includes(name));

function show(bytes: Uint8Array): void {
  for (let at = 0; at < bytes.byteLength;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

const surroundings = { variable: Deno.env.get, processors: navigator.hardwareConcurrency };
let total = NO_COUNTS;
const problems: string[] = [];
const flaky: Flaky[] = [];
for (const suite of chosen) {
  console.log(`\n== ${suite.name}`);
  for (const missing of await installMissing(suite.needs)) {
    console.log(`Skipping what needs ${missing.program}: install Debian's ${missing.package}`);
  }
  const began = performance.now();
  const outcome = await runSuite(planSuite(suite, testFiles(suite), surroundings), show);
  total = addCounts(total, outcome.counts);
  problems.push(...outcome.problems.map((problem) => `${suite.name}: ${problem}`));
  flaky.push(...outcome.flaky);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${suite.name}: ${formatCounts(outcome.counts)}, ${seconds} s`);
}
if (problems.length > 0) console.log(`\nFailed:\n${problems.join("\n")}\n`);
for (const each of flaky) console.log(flakyLine(each));
console.log(formatCounts(total));
Deno.exit(total.failed === 0 ? 0 : 1);
