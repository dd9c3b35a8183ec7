/**
 * Runs a suite as it was planned: processes of `deno test`, side by side.
 *
 * @module
 */
import { join } from "node:path";
import pMap from "p-map";
import { ROOT } from "./_source_files.ts";
import type { Batch, Plan } from "./_suites.ts";
import { addCounts, type Counts, NO_COUNTS, readReport, type Report } from "./_test_counts.ts";
import { type FileTime, readTimes } from "./_test_times.ts";

/** How long an interrupted run may take to report its state. */
const LAST_WORDS_MS = 10_000;

/** Shows what runs say, as it comes. */
export type Show = (bytes: Uint8Array) => void;

export interface Outcome {
  readonly counts: Counts;
  /** What failed, one line each. */
  readonly problems: readonly string[];
  /** How long the tests of each file took. */
  readonly times: readonly FileTime[];
}

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
  /** On the clock of `performance.now()`. */
  readonly deadline: number;
  /** Whether others run in parallel: its output is shown in one piece at the end. */
  readonly isBeside: boolean;
  readonly program?: string | undefined;
  readonly show: Show;
}

interface Run extends Report {
  readonly times: readonly FileTime[];
}

async function runBatch({ files, threads }: Batch, options: RunOptions): Promise<Run> {
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--allow-all",
      "--no-check",
      "--frozen",
      "--permit-no-files",
      "--preload",
      join(ROOT, "tests", "_preload.ts"),
      ...(threads > 1 ? ["--parallel"] : []),
      ...files,
    ],
    cwd: ROOT,
    env: {
      NO_COLOR: "1",
      ...(threads > 1 ? { DENO_JOBS: String(threads) } : {}),
      ...(options.program === undefined ? {} : { SVC_BIN: options.program }),
    },
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
  const report = readReport(output, { ...status, timedOut: limit.timedOut() });
  return { ...report, times: readTimes(output) };
}

/** Runs the batches of a suite. */
export async function runSuite(plan: Plan, show: Show): Promise<Outcome> {
  const { limitMs, batches, atOnce, program } = plan;
  const deadline = performance.now() + limitMs;
  const isBeside = atOnce > 1 && batches.length > 1;
  const runs = await pMap(
    batches,
    (batch) => runBatch(batch, { deadline, isBeside, show, program }),
    { concurrency: atOnce },
  );
  return {
    counts: runs.map(({ counts }) => counts).reduce(addCounts, NO_COUNTS),
    problems: runs.flatMap(({ problems }) => problems),
    times: runs.flatMap(({ times }) => times),
  };
}
