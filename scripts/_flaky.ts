/**
 * Which failed tests run a second time, and what a suite came to after that.
 * `docs/decisions/flaky-tests.md` says why.
 *
 * @module
 */
import { addCounts, type Failure, type Report } from "./_test_counts.ts";

/** So many files of a suite may have failed by chance; more have a cause in common. */
export const MAX_FILES_AGAIN = 3;

/** A test that failed once, and then passed alone. */
export type Flaky = Failure;

/** One report of several, which ran side by side or one after the other. */
export function joinReports(reports: readonly Report[]): Report {
  return {
    counts: reports.map(({ counts }) => counts).reduce(addCounts),
    failures: reports.flatMap(({ failures }) => failures),
    problems: reports.flatMap(({ problems }) => problems),
  };
}

/**
 * The files to run once more: those with a failed test. None where more than
 * {@link MAX_FILES_AGAIN} failed, or where something failed that is no test of a
 * known file (a run that was interrupted, a process that crashed).
 */
export function filesToRunAgain({ counts, failures }: Report): string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  const isWhole = failures.length === counts.failed;
  return isWhole && files.length <= MAX_FILES_AGAIN ? files : [];
}

export interface Outcome extends Report {
  readonly flaky: readonly Flaky[];
}

/**
 * What a suite came to once `again` ran the files of {@link filesToRunAgain}: a
 * failed test that then passed counts as passed, and everything that failed in
 * the second run as failed.
 */
export function settle(first: Report, again: Report | undefined): Outcome {
  if (again === undefined) return { ...first, flaky: [] };
  const failedTwice = new Set(again.failures.map(({ file, test }) => `${file}\n${test}`));
  const flaky = again.failures.length < again.counts.failed
    ? []
    : first.failures.filter(({ file, test }) => !failedTwice.has(`${file}\n${test}`));
  const mended = Math.max(0, first.counts.failed - again.counts.failed);
  return {
    counts: {
      ...first.counts,
      passed: first.counts.passed + mended,
      failed: again.counts.failed,
    },
    failures: again.failures,
    problems: again.problems,
    flaky,
  };
}

/** One line for a flaky test; CI looks for its first word. */
export const flakyLine = ({ file, test }: Flaky): string => `FLAKY: ${file} ${test}`;
