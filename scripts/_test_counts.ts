/**
 * The results of a `deno test` run, parsed from its output.
 *
 * @module
 */

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NO_COUNTS: Counts = { passed: 0, failed: 0, skipped: 0 };

/** The exit status of a run's process. */
interface RunEnd {
  readonly code: number;
  readonly signal: string | null;
  /** The run was interrupted because its time was up. */
  readonly timedOut: boolean;
}

/** A failed test. */
interface Failure {
  /** Path relative to the folder in which the run started. */
  readonly file: string;
  readonly test: string;
}

export interface Report {
  readonly counts: Counts;
  /** The failures, one line each. */
  readonly problems: readonly string[];
  /** The run's output about its failures: errors and their stack traces. */
  readonly errors: string;
}

/** Maximum length of a run's errors that are repeated at the end, in characters. */
const MAX_ERRORS = 6_000;

const SUMMARY = /^(?:ok|FAILED) \| (?<passed>\d+) passed.*? \| (?<failed>\d+) failed(?<rest>.*)$/gm;

/** Matches the list before the closing line: a name and its location on each line. */
const FAILURES = /^ FAILURES \n\n(?<list>(?:.+\n)+)/gm;

/** Matches the part before that list: the errors, with stack traces. */
const ERRORS = /^ ERRORS \n\n(?<errors>[^]*?)\n\n FAILURES $/gm;

/** Matches the list of unfinished tests that `deno test` prints when it is interrupted. */
const PENDING = /^SIGINT The following tests were pending:\n\n(?<list>(?:.+\n)+)/gm;

/**
 * Matches the result of a test. A step is indented, or its name is preceded by the test's name and
 * dots.
 */
const RESULT = /^(?<test>(?! ).+?) \.\.\. (?<outcome>ok|FAILED|ignored|cancelled) \(.*\)$/gm;

const RESULT_LINE = new RegExp(RESULT.source);

const lastList = (output: string, pattern: RegExp): string[] =>
  [...output.matchAll(pattern)].at(-1)?.groups?.list?.trimEnd().split("\n") ?? [];

/** Matches the line before a file's results when files run one after the other. */
const FILE = /^running \d+ tests? from (?:\.\/)?(?<file>.+)$/;

/** Matches a test with its file when files run in parallel. */
const WITH_FILE = /^(?:\.\/)?(?<file>\S+_test\.tsx?) => (?<test>.+)$/;

/** Matches a module that threw an error outside its tests, in the list before the closing line. */
const UNCAUGHT = /^(?:\.\/)?(?<file>\S+) \(uncaught error\)$/;

/** The name that Deno gives a failed test if an error occurs outside a module's tests. */
const OUTSIDE = "(outside of its tests)";

/** Separates the name of a test from the name of its step. */
const STEP = " ... ";

const isStep = (line: string): boolean => line.split(" => ")[0]!.includes(STEP);

/** Counts results test by test, for a run without a closing line. */
function readResults(output: string): { readonly counts: Counts; readonly failed: string[] } {
  const results = [...output.matchAll(RESULT)].map(({ groups }) => ({
    test: groups?.test ?? "",
    outcome: groups?.outcome,
  })).filter(({ test }) => !test.includes(STEP));
  const failed = results.filter(({ outcome }) => outcome === "FAILED" || outcome === "cancelled");
  const count = (wanted: string) => results.filter(({ outcome }) => outcome === wanted).length;
  return {
    counts: { passed: count("ok"), failed: failed.length, skipped: count("ignored") },
    failed: failed.map(({ test }) => test),
  };
}

/** Returns the failed tests with their files. */
function readFailures(output: string): Failure[] {
  const failures: Failure[] = [];
  let file: string | undefined;
  for (const line of output.split("\n")) {
    file = FILE.exec(line)?.groups?.file ?? file;
    const result = RESULT_LINE.exec(line)?.groups;
    const hasFailed = result?.outcome === "FAILED" || result?.outcome === "cancelled";
    if (result === undefined || !hasFailed) continue;
    const named = WITH_FILE.exec(result.test ?? "")?.groups;
    const failure = { file: named?.file ?? file, test: named?.test ?? result.test ?? "" };
    if (failure.file !== undefined && !failure.test.includes(STEP)) {
      failures.push({ ...failure, file: failure.file });
    }
  }
  const outside = lastList(output, FAILURES).flatMap((line) => {
    const named = UNCAUGHT.exec(line)?.groups?.file;
    return named === undefined ? [] : [{ file: named, test: OUTSIDE }];
  });
  return [...failures, ...outside];
}

const describeFailure = ({ file, test }: Failure): string => `${test} => ${file}`;

function describeEnd({ code, signal, timedOut }: RunEnd): string {
  if (timedOut) return "the run took too long, and was interrupted between two tests";
  const how = signal === null ? `exit code ${code}` : `signal ${signal}`;
  return `the run exited with ${how} but names no failed test: see its output above`;
}

function reportUnfinished(output: string, end: RunEnd): Report {
  const { counts, failed } = readResults(output);
  const pending = lastList(output, PENDING).filter((line) => !isStep(line));
  const problems = [...failed, ...pending.map((line) => `interrupted, took too long: ${line}`)];
  if (pending.length === 0) problems.push(describeEnd(end));
  return {
    counts: { ...counts, failed: problems.length },
    problems,
    errors: output.slice(-MAX_ERRORS).trim(),
  };
}

/**
 * Reads the result of a run. If a run went wrong without a failed test (a module that does not
 * load, a crash, no closing line), it counts as one more failure.
 */
export function readReport(output: string, end: RunEnd): Report {
  const last = [...output.matchAll(SUMMARY)].at(-1)?.groups;
  if (last === undefined || end.timedOut) return reportUnfinished(output, end);
  const failures = readFailures(output).map(describeFailure);
  const passed = Number(last.passed);
  const failed = Number(last.failed);
  const skipped = Number(/\| (\d+) ignored/.exec(last.rest ?? "")?.[1] ?? 0);
  const isSilent = failed === 0 && (end.code !== 0 || end.signal !== null);
  const counts = { passed, failed: isSilent ? 1 : failed, skipped };
  const problems = failures.length >= failed
    ? failures
    : lastList(output, FAILURES).filter((line) => !isStep(line));
  if (counts.failed > 0 && problems.length === 0) problems.push(describeEnd(end));
  const errors = [...output.matchAll(ERRORS)].at(-1)?.groups?.errors ?? "";
  return { counts, problems, errors: errors.slice(0, MAX_ERRORS) };
}

/** Adds up two counts. */
export function addCounts(left: Counts, right: Counts): Counts {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}

/** Formats the single line at the end of a run. */
export function formatCounts({ passed, failed, skipped }: Counts): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}
