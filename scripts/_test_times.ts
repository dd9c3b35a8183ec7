/**
 * How long the tests of each file took, read from the JUnit report of `deno test`.
 *
 * @module
 */

/** The time that the tests of a file took together. */
export interface FileTime {
  readonly file: string;
  readonly seconds: number;
}

const CASE =
  /<testcase name="(?<name>[^"]*)" classname="(?:\.\/)?(?<file>[^"]+)" time="(?<seconds>[\d.]+)"/g;

/** Between the names of a test and its step, escaped. */
const STEP = " &gt; ";

/** Adds up the times of the tests of each file; their steps are part of them. */
export function readTimes(junit: string): FileTime[] {
  const sums = new Map<string, number>();
  for (const { groups } of junit.matchAll(CASE)) {
    const { name, file, seconds } = groups as Record<"name" | "file" | "seconds", string>;
    if (name.includes(STEP)) continue;
    sums.set(file, (sums.get(file) ?? 0) + Number(seconds));
  }
  return [...sums].map(([file, seconds]) => ({ file, seconds }));
}

/** The `count` files that took longest, the longest first, a line each. */
export function slowestFiles(times: readonly FileTime[], count: number): string[] {
  return times.toSorted((left, right) => right.seconds - left.seconds)
    .slice(0, count)
    .map(({ file, seconds }) => `${seconds.toFixed(0).padStart(5)} s  ${file}`);
}
