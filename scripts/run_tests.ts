/**
 * `deno task test [unit|integration|e2e|browser …]`: runs the suites and ends
 * with one line, `N passed, N failed`, over all of them.
 *
 * @module
 */
// deno-lint-ignore-file no-console -- a script for people, not the tool
import { join } from "node:path";
import { type DebianProgram, installMissing } from "./_debian.ts";
import { ROOT } from "./_source_files.ts";
import { addCounts, type Counts, formatCounts, NO_COUNTS, readCounts } from "./_test_counts.ts";

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
];

/** A suite that takes longer hangs: 15 minutes. */
const SUITE_LIMIT_MS = 15 * 60 * 1000;

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

async function runSuite(suite: Suite): Promise<Counts> {
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
      ...suite.folders.map((folder) => join(ROOT, folder)),
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "inherit",
    signal: AbortSignal.timeout(SUITE_LIMIT_MS),
  }).spawn();
  const [output, status] = await Promise.all([
    tee(child.stdout, (bytes) => Deno.stdout.writeSync(bytes)),
    child.status,
  ]);
  return readCounts(output, status.code);
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
for (const suite of chosen) {
  console.log(`\n== ${suite.name}`);
  const counts = await runSuite(suite);
  total = addCounts(total, counts);
  if (chosen.length > 1) console.log(`${suite.name}: ${formatCounts(counts)}`);
}
console.log(formatCounts(total));
Deno.exit(total.failed === 0 ? 0 : 1);
