/**
 * Runs the batches of a plan as parallel `deno test` processes.
 *
 * @module
 */
import { join } from "node:path";
import pMap from "p-map";
import { withoutGroups, writeGroups } from "./_grouped_tests.ts";
import { ROOT } from "./_source_files.ts";
import type { Batch, Plan } from "./_suites.ts";
import { addCounts, type Counts, NO_COUNTS, readReport, type Report } from "./_test_counts.ts";
import { type FileTime, readTimes } from "./_test_times.ts";

/** Maximum time for an interrupted run to report its state. */
const LAST_WORDS_MS = 10_000;

/**
 * Maximum time for a file that runs in parallel with other files. A file that hangs must not delay
 * them.
 */
const FILE_LIMIT_MS = 15 * 60_000;

/** Shows the output of runs, in whole lines. */
export type Show = (text: string) => void;

export interface Outcome {
  readonly counts: Counts;
  /** The failures, one line each. */
  readonly problems: readonly string[];
  /** Output of failed runs, one string for each run. */
  readonly errors: readonly string[];
  /** Duration of the tests of each file. */
  readonly times: readonly FileTime[];
  /** Files that were skipped because the time limit was reached. */
  readonly leftOut: readonly string[];
}

/** Forwards each line of a stream immediately, and returns all lines at the end. */
async function readAll(stream: ReadableStream<Uint8Array>, show: Show): Promise<string> {
  let [text, rest] = ["", ""];
  const take = (lines: string) => {
    const named = withoutGroups(lines);
    text += named;
    show(named);
  };
  for await (const chunk of stream.pipeThrough(new TextDecoderStream())) {
    rest += chunk;
    const end = rest.lastIndexOf("\n") + 1;
    if (end === 0) continue;
    take(rest.slice(0, end));
    rest = rest.slice(end);
  }
  take(rest);
  return text;
}

/**
 * Interrupts a run at its deadline: `deno test` then names the tests that were running. Kills it if
 * it ignores the signal.
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
  /** Time at which the run is interrupted, as returned by `performance.now()`. */
  readonly deadline: number;
  /**
   * Whether other runs are in progress at the same time. If so, this run's output is shown in one
   * piece at the end.
   */
  readonly isBeside: boolean;
  readonly show: Show;
}

interface Run extends Report {
  readonly times: readonly FileTime[];
}

/** Returns the modules of a batch. If a group has several files, writes a module for each group. */
async function modulesOf({ groups }: Batch, folder: string): Promise<readonly string[]> {
  const isGrouped = groups.some((files) => files.length > 1);
  return isGrouped ? await writeGroups(folder, groups) : groups.flat();
}

async function runBatch(batch: Batch, options: RunOptions): Promise<Run> {
  const { threads, program } = batch;
  const folder = await Deno.makeTempDir({ prefix: "svc-tests-" });
  const child = new Deno.Command(Deno.execPath(), {
    args: [
      "test",
      "--allow-all",
      "--no-check",
      "--frozen",
      "--config",
      join(ROOT, "deno.json"),
      "--permit-no-files",
      "--preload",
      join(ROOT, "tests", "_preload.ts"),
      ...(threads > 1 ? ["--parallel"] : []),
      ...await modulesOf(batch, folder),
    ],
    cwd: ROOT,
    env: {
      NO_COLOR: "1",
      ...(threads > 1 ? { DENO_JOBS: String(threads) } : {}),
      ...(program === undefined ? {} : { SVC_BIN: program }),
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const limit = limitTime(child, options.deadline);
  const heard: string[] = [];
  const show = options.isBeside ? (text: string) => void heard.push(text) : options.show;
  const [output, , status] = await Promise.all([
    readAll(child.stdout, show),
    readAll(child.stderr, show),
    child.status.finally(limit.dispose),
  ]).finally(() => Deno.remove(folder, { recursive: true }));
  heard.forEach(options.show);
  const report = readReport(output, { ...status, timedOut: limit.timedOut() });
  return { ...report, times: readTimes(output) };
}

const filesOf = ({ groups }: Batch): string[] => groups.flat();

/** Runs the batches of a plan. Once `mayStart` returns false, skips the remaining batches. */
export async function runPlan(
  { limitMs, batches, atOnce }: Plan,
  { show, mayStart = () => true }: { readonly show: Show; readonly mayStart?: () => boolean },
): Promise<Outcome> {
  const end = performance.now() + limitMs;
  const leftOut: string[] = [];
  const isBeside = atOnce > 1 && batches.length > 1;
  const runs = await pMap(
    batches,
    async (batch) => {
      const deadline = isBeside ? Math.min(end, performance.now() + FILE_LIMIT_MS) : end;
      if (mayStart()) return await runBatch(batch, { deadline, isBeside, show });
      leftOut.push(...filesOf(batch));
      const counts = { ...NO_COUNTS, skipped: filesOf(batch).length };
      return { counts, problems: [], errors: "", times: [] };
    },
    { concurrency: atOnce },
  );
  return {
    counts: runs.map(({ counts }) => counts).reduce(addCounts, NO_COUNTS),
    problems: runs.flatMap(({ problems }) => problems),
    errors: runs.map(({ errors }) => errors).filter((errors) => errors !== ""),
    times: runs.flatMap(({ times }) => times),
    leftOut,
  };
}
