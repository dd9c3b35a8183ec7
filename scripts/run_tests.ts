/**
 * `deno task test`: compiles the program, tests every capability with it once, and ends with one
 * line, `N passed, N failed`. `deno task test:all` runs every test, and `deno task test --rest`
 * runs the tests that `deno task test` skips. `deno task test unit e2e` runs all tests in the named
 * suites. `--without <file>` skips a file.
 *
 * `TESTS_END_AT` is a time in seconds since 1970: files that have not started by then are listed
 * and counted as skipped.
 *
 * `SVC_BIN` is the path of a compiled program. Without a base runtime, the same tests run from
 * source, and the closing lines say so.
 *
 * `EMPTY_ROOT` runs the e2e tests against dist/svc in its own root: `libc` with nothing but the C
 * library, `short` for a few of these tests, `tools` with this machine's programs.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the CLI
import { join } from "node:path";
import { parseArgs } from "node:util";
import { NO_BASE_RUNTIME } from "./_base_runtime.ts";
import { installMissing } from "./_debian.ts";
import { show } from "./_process.ts";
import { runPlan } from "./_run_suite.ts";
import { ROOT } from "./_source_files.ts";
import { chooseFiles, type Extent, planSuites, SUITES } from "./_suites.ts";
import { addCounts, formatCounts, NO_COUNTS } from "./_test_counts.ts";
import { type FileTime, slowestFiles } from "./_test_times.ts";

/** Number of slowest files that the closing lines name. */
const SLOWEST = 10;

const { values: flags, positionals: names } = parseArgs({
  args: Deno.args,
  options: {
    all: { type: "boolean", default: false },
    rest: { type: "boolean", default: false },
    without: { type: "string", multiple: true, default: [] },
  },
  allowPositionals: true,
});
const unknown = names.filter((name) => !SUITES.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(
    `Unknown suite ${unknown.join(", ")}: choose from ${SUITES.map(({ name }) => name).join(", ")}`,
  );
  Deno.exit(2);
}

/** The programs that start dist/svc in its own root, keyed by the value of `EMPTY_ROOT`. */
const ROOTS = { libc: "in_empty_root.sh", short: "in_empty_root.sh", tools: "in_tools_root.sh" };
const root = Deno.env.get("EMPTY_ROOT");
if (root !== undefined && !Object.hasOwn(ROOTS, root)) {
  console.error(
    `Set EMPTY_ROOT to one of ${Object.keys(ROOTS).join(", ")}: ${root} is not one of them`,
  );
  Deno.exit(2);
}

/** Sets `SVC_BIN` to the program that the tests start; returns false if they run the source. */
async function provideProgram(): Promise<boolean> {
  if (root !== undefined) {
    Deno.env.set("SVC_BIN", join(ROOT, "scripts", ROOTS[root as keyof typeof ROOTS]));
    return true;
  }
  if (Deno.env.get("SVC_BIN")) return true;
  const script = join(ROOT, "scripts", "compile.ts");
  // At a lower quality, packing the program takes seconds instead of minutes.
  const env = { BROTLI_QUALITY: Deno.env.get("BROTLI_QUALITY") ?? "4" };
  const code = await show([Deno.execPath(), "run", "-A", "--frozen", script], { env });
  if (code === NO_BASE_RUNTIME) return false;
  if (code !== 0) Deno.exit(code);
  Deno.env.set("SVC_BIN", join(ROOT, "dist", "svc"));
  return true;
}

/**
 * Creates the OpenAPI document once, because otherwise every test file would spend a second on it.
 */
async function provideDocument(): Promise<string> {
  const { openApiDocument } = await import("../src/contract/openapi.ts");
  const document = openApiDocument({ version: "0.0.0", serverUrl: "http://localhost" });
  const file = await Deno.makeTempFile({ prefix: "svc-openapi-" });
  await Deno.writeTextFile(file, JSON.stringify(document));
  Deno.env.set("API_DOCUMENT", file);
  return file;
}

function chooseExtent(): Extent {
  if (root === "short") return "empty root";
  if (flags.rest) return "rest";
  return flags.all || names.length > 0 ? "all" : "short";
}

const extent = chooseExtent();
const chosen = SUITES.filter(({ name }) => names.length === 0 || names.includes(name));
/** Unit tests start no program, and some suites start their own program. */
const isCompiled = chosen.every(({ name, program }) => name === "unit" || program !== undefined) ||
  await provideProgram();

function print(text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.byteLength;) at += Deno.stdout.writeSync(bytes.subarray(at));
}

const documentFile = await provideDocument();
const suites = chosen.map((suite) => ({
  suite,
  files: chooseFiles(suite, extent).filter((file) => !flags.without.includes(file)),
})).filter(({ files }) => files.length > 0);
const needs = new Set(suites.flatMap(({ suite }) => suite.needs));
for (const missing of await installMissing([...needs])) {
  console.log(`Skipping tests that need ${missing.program}: install Debian's ${missing.package}`);
}
const surroundings = { variable: Deno.env.get, processors: navigator.hardwareConcurrency };
let total = NO_COUNTS;
const problems: string[] = [];
const errors: string[] = [];
const times: FileTime[] = [];
const leftOut: string[] = [];
const endsAt = Number(Deno.env.get("TESTS_END_AT") ?? Infinity) * 1000;
for (const plan of planSuites(suites, surroundings)) {
  console.log(`\n== ${plan.name}`);
  const began = performance.now();
  const outcome = await runPlan(plan, { show: print, mayStart: () => Date.now() < endsAt });
  total = addCounts(total, outcome.counts);
  problems.push(...outcome.problems);
  errors.push(...outcome.errors);
  times.push(...outcome.times);
  leftOut.push(...outcome.leftOut);
  const seconds = Math.round((performance.now() - began) / 1000);
  console.log(`${plan.name}: ${formatCounts(outcome.counts)}, ${seconds} s`);
}
await Deno.remove(documentFile);
console.log(`\nSlowest files:\n${slowestFiles(times, SLOWEST).join("\n")}`);
if (leftOut.length > 0) console.log(`\nSkipped because the time was up:\n${leftOut.join("\n")}`);
if (problems.length > 0) {
  console.log(`\nFailed:\n${problems.join("\n")}\n\n${errors.join("\n\n")}`);
}
if (!isCompiled) {
  console.log("\nRan the source: no base runtime to compile with (set DENORT_BIN, or go online)");
}
console.log(`\n${formatCounts(total)}`);
Deno.exit(total.failed === 0 ? 0 : 1);
