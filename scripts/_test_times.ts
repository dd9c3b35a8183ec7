/**
 * Reads how long the tests of each file took from the output of `deno test`.
 *
 * @module
 */

/** The total time of the tests of a file. */
export interface FileTime {
  readonly file: string;
  readonly seconds: number;
}

/** Matches the line before a file's results when files run one after the other. */
const FILE = /^running \d+ tests? from (?:\.\/)?(?<file>.+)$/;

/**
 * Matches a result, with its file if files run in parallel. Steps are indented or contain two dots.
 */
const RESULT =
  /^(?:(?:\.\/)?(?<file>\S+_test\.tsx?) => )?(?<test>(?! ).+?) \.\.\. \w+ \(.*?(?<time>[\dms.µ]+)\)$/;

const SECONDS = { ms: 0.001, µs: 0.000_001, s: 1 };

/** Reads `1m6s`, `27s`, `3ms`. */
function readTime(text: string): number {
  const [, minutes = "0", count = "0", unit = "s"] =
    /^(?:(\d+)m(?!s))?([\d.]+)(ms|µs|s)?$/.exec(text) ??
      [];
  return Number(minutes) * 60 + Number(count) * SECONDS[unit as keyof typeof SECONDS];
}

/** Adds up the times of each file's tests. A test's time includes its steps. */
export function readTimes(output: string): FileTime[] {
  const sums = new Map<string, number>();
  let current = "";
  for (const line of output.split("\n")) {
    current = FILE.exec(line)?.groups?.file ?? current;
    const result = RESULT.exec(line)?.groups;
    if (result === undefined || result.test!.includes(" ... ")) continue;
    const file = result.file ?? current;
    sums.set(file, (sums.get(file) ?? 0) + readTime(result.time!));
  }
  return [...sums].map(([file, seconds]) => ({ file, seconds }));
}

/** Returns a line for each of the `count` slowest files, slowest first. */
export function slowestFiles(times: readonly FileTime[], count: number): string[] {
  return times.toSorted((left, right) => right.seconds - left.seconds)
    .slice(0, count)
    .map(({ file, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${file}`);
}
