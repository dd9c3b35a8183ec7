/**
 * What a run of `deno test` came to, read from its closing line.
 *
 * @module
 */

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const NO_COUNTS: Counts = { passed: 0, failed: 0, skipped: 0 };

const SUMMARY = /^(?:ok|FAILED) \| (?<passed>\d+) passed.*? \| (?<failed>\d+) failed(?<rest>.*)$/gm;

/**
 * Reads the counts of a run. A run that went wrong without a failed test (a
 * module that does not load, a crash, no closing line) counts as one failure.
 */
export function readCounts(output: string, exitCode: number): Counts {
  const last = [...output.matchAll(SUMMARY)].at(-1)?.groups;
  const passed = Number(last?.passed ?? 0);
  const failed = Number(last?.failed ?? 0);
  const skipped = Number(/\| (\d+) ignored/.exec(last?.rest ?? "")?.[1] ?? 0);
  const silent = failed === 0 && (exitCode !== 0 || last === undefined);
  return { passed, failed: silent ? 1 : failed, skipped };
}

/** Adds two counts up. */
export function addCounts(left: Counts, right: Counts): Counts {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  };
}

/** The one line that ends a run of the whole suite. */
export function formatCounts({ passed, failed, skipped }: Counts): string {
  const line = `${passed} passed, ${failed} failed`;
  return skipped === 0 ? line : `${line}, ${skipped} skipped`;
}
