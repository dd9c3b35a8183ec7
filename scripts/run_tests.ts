/**
 * `deno task test [unit|integration|e2e|browser …]`: runs the suites and ends
 * with one line, `N passed, N failed`, over all of them.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the tool
import { join } from "node:path";
import { type DebianProgram, installMissing } from "./_debian.ts";
import { leftOut } from "../tests/integration/_in_process.ts";
import { ROOT } from "./_source_files.ts";
import { addCounts, formatCounts, NO_COUNTS, readReport, type Report } from "./_test_counts.ts";

interface Suite {
  readonly name: string;
  readonly folders: readonly string[];
  readonly parallel: boolean;
  /** Debian programs without which tests of the suite are skipped. */
  readonly needs: readonly DebianProgram[];
}

const GIT: DebianProgram = { program: "git", package: "git" };
const OPENSSL: DebianProgram = { program: "openssl", package: "openssl" };
const CURL: DebianProgram = { program: "curl", package: "curl" };
/** The test server of the ACME protocol. */
const PEBBLE: DebianProgram = { program: "pebble", package: "pebble" };
const CHROMIUM: DebianProgram = { program: "chromium", package: "chromium" };

const SUITES: readonly Suite[] = [
  { name: "unit", folders: ["src", "scripts"], parallel: true, needs: [GIT, OPENSSL] },
  {
    name: "integration",
    folders: ["tests/integration"],
    parallel: true,
    needs: [GIT, OPENSSL, CURL, PEBBLE],
  },
  { name: "e2e", folders: ["tests/e2e"], parallel: false, needs: [GIT, CURL] },
  { name: "browser", folders: ["tests/browser"], parallel: false, needs: [CHROMIUM] },
  { name: "projects", folders: ["tests/projects"], parallel: false, needs: [CHROMIUM] },
];

/** A suite that takes longer hangs: 15 minutes. */
const SUITE_LIMIT_MS = 15 * 60 * 1000;

/** How long an interrupted run may take to name what it was doing. */
const LAST_WORDS_MS = 10_000;

/** Passes a stream on as it comes, and returns all of it. */
async function tee(
  stream: ReadableStream<Uint8Array>,
  sink: (bytes: Uint8Array) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    sink(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/**
 * Interrupts a run whose time is up: `deno test` then names the tests that it
 * had begun. Ends it by force where it does not listen.
 */
function limitTime(child: Deno.ChildProcess) {
  let timedOut = false;
  const force = () => child.kill("SIGKILL");
  let timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGINT");
    timer = setTimeout(force, LAST_WORDS_MS);
  }, SUITE_LIMIT_MS);
  return { timedOut: () => timedOut, dispose: () => clearTimeout(timer) };
}

/** The end-to-end tests from source where the compiled program's run follows. */
const SOURCE_E2E = ["tests/e2e/tour_test.ts"];

/** What `deno test` is given to run a suite, or the part of it that this run is for. */
function filesOf({ name, folders }: Suite): string[] {
  const inRoot = (paths: readonly string[]) => paths.map((path) => join(ROOT, path));
  const leaves = !Deno.env.get("SVC_BIN") && Deno.env.get("LEAVE_TO_PROGRAM");
  if (name === "e2e" && leaves) return inRoot(SOURCE_E2E);
  if (name !== "integration") return inRoot(folders);
  const integration = join(ROOT, "tests", "integration");
  const { whole, parts } = leftOut(Deno.env.get);
  return [
    ...(parts.length === 0 ? [] : ["--preload", join(integration, "_in_process.ts")]),
    ...(whole.length === 0 ? [] : [`--ignore=${inFolder(integration, whole)}`]),
    ...inRoot(folders),
  ];
}

const inFolder = (folder: string, files: readonly string[]) =>
  files.map((file) => join(folder, file)).join(",");

async function runSuite(suite: Suite): Promise<Report> {
  for (const missing of await installMissing(suite.needs)) {
    console.log(`Skipping what needs ${missing.program}: install Debian's ${missing.package}`);
  }
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--allow-all",
      "--no-check",
      "--frozen",
      "--permit-no-files",
      ...(suite.parallel ? ["--parallel"] : []),
      ...filesOf(suite),
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
  }).spawn();
  const limit = limitTime(child);
  const [output, status] = await Promise.all([
    tee(child.stdout, (bytes) => Deno.stdout.writeSync(bytes)),
    child.status.finally(limit.dispose),
  ]);
  return readReport(output, { ...status, timedOut: limit.timedOut() });
}

const unknown = Deno.args.filter((name) => !SUITES.some((suite) => suite.name === name));
if (unknown.length > 0) {
  console.error(
    `Name suites of ${SUITES.map(({ name }) => name).join(", ")}: ${unknown.join(", ")} is none`,
  );
  Deno.exit(2);
}
const chosen = SUITES.filter(({ name }) => Deno.args.length === 0 || Deno.args.includes(name));

let total = NO_COUNTS;
const problems: string[] = [];
for (const suite of chosen) {
  console.log(`\n== ${suite.name}`);
  const report = await runSuite(suite);
  total = addCounts(total, report.counts);
  problems.push(...report.problems.map((problem) => `${suite.name}: ${problem}`));
  if (chosen.length > 1) console.log(`${suite.name}: ${formatCounts(report.counts)}`);
}
if (problems.length > 0) console.log(`\nFailed:\n${problems.join("\n")}\n`);
console.log(formatCounts(total));
Deno.exit(total.failed === 0 ? 0 : 1);
