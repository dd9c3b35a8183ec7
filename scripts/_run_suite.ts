/**
 * Runs a suite as it was planned: processes of `deno test`, side by side, and
 * once more what failed.
 *
 * @module
 */
import pMap from "p-map";
import { filesToRunAgain, joinReports, type Outcome, settle } from "./_flaky.ts";
import { ROOT } from "./_source_files.ts";
import type { Batch, Plan } from "./_suites.ts";
import { NO_COUNTS, readReport, type Report } from "./_test_counts.ts";

/** How long an interrupted run may take to name what it was doing. */
const LAST_WORDS_MS = 10_000;

/** Shows what runs say, as it comes. */
export type Show = (bytes: Uint8Array) => void;

const NOTHING: Report = { counts: NO_COUNTS, failures: [], problems: [] };

/** Reads a stream as it comes, and returns all of it. */
async function readAll(
  stream: ReadableStream<Uint8Array>,
  onChunk: (bytes: Uint8Array) => void,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    onChunk(chunk);
    text += decoder.decode(chunk, { stream: true });
  }
  return text;
}

/**
 * Interrupts a run at its deadline: `deno test` then names the tests that it
 * had begun. Ends it by force where it does not listen.
 */
function limitTime(child: Deno.ChildProcess, deadline: number) {
  let timedOut = false;
  const force = () => child.kill("SIGKILL");
  let timer = setTimeout(() => {
    timedOut = true;
    child.kill("SIGINT");
    timer = setTimeout(force, LAST_WORDS_MS);
  }, Math.max(0, deadline - performance.now()));
  return { timedOut: () => timedOut, dispose: () => clearTimeout(timer) };
}

interface RunOptions {
  readonly flags: readonly string[];
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  /** Others run beside it: what it says is shown as one piece when it has ended. */
  readonly isBeside: boolean;
  readonly show: Show;
}

async function runBatch({ files, threads }: Batch, options: RunOptions): Promise<Report> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "--allow-all", "--no-check", "--frozen", "--permit-no-files"],
      ...(threads > 1 ? ["--parallel"] : []),
      ...options.flags,
      ...files,
    ],
    cwd: ROOT,
    env: { NO_COLOR: "1", ...(threads > 1 ? { DENO_JOBS: String(threads) } : {}) },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const limit = limitTime(child, options.deadline);
  const heard: Uint8Array[] = [];
  const show = options.isBeside ? (bytes: Uint8Array) => void heard.push(bytes) : options.show;
  const [output, , status] = await Promise.all([
    readAll(child.stdout, show),
    readAll(child.stderr, show),
    child.status.finally(limit.dispose),
  ]);
  heard.forEach(options.show);
  return readReport(output, { ...status, timedOut: limit.timedOut() });
}

/** Runs a suite, and the files of the few tests that failed once more, each alone. */
export async function runSuite(
  { flags, limitMs, together, atOnce, alone }: Plan,
  show: Show,
): Promise<Outcome> {
  const deadline = performance.now() + limitMs;
  const isBeside = atOnce > 1 && together.length > 1;
  const run = (batch: Batch, beside = false) =>
    runBatch(batch, { flags, deadline, isBeside: beside, show });
  const reports = await pMap(together, (batch) => run(batch, isBeside), { concurrency: atOnce });
  for (const batch of alone) reports.push(await run(batch));
  const first = reports.length === 0 ? NOTHING : joinReports(reports);
  const again: Report[] = [];
  for (const file of filesToRunAgain(first)) {
    show(new TextEncoder().encode(`\nOnce more, alone: ${file}\n`));
    again.push(await run({ files: [file], threads: 1 }));
  }
  return settle(first, again.length === 0 ? undefined : joinReports(again));
}
