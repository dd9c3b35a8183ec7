import assert from "node:assert/strict";
import { filesToRunAgain, flakyLine, joinReports, MAX_FILES_AGAIN, settle } from "./_flaky.ts";
import type { Failure, Report } from "./_test_counts.ts";

const failure = (file: string, test: string): Failure => ({ file, test });

function report(passed: number, failures: readonly Failure[], nameless = 0): Report {
  return {
    counts: { passed, failed: failures.length + nameless, skipped: 1 },
    failures,
    problems: failures.map(({ test }) => test),
  };
}

const TWO = [failure("a_test.ts", "one"), failure("a_test.ts", "two")];

Deno.test("filesToRunAgain() names each file with a failed test once", () => {
  const failures = [...TWO, failure("b_test.ts", "three")];
  assert.deepEqual(filesToRunAgain(report(9, failures)), ["a_test.ts", "b_test.ts"]);
  assert.deepEqual(filesToRunAgain(report(9, [])), []);
});

Deno.test("filesToRunAgain() gives no second chance to many files, nor to what is no test", () => {
  const files = (count: number) =>
    Array.from({ length: count }, (_, at) => failure(`${at}_test.ts`, "test"));
  assert.equal(filesToRunAgain(report(9, files(MAX_FILES_AGAIN))).length, MAX_FILES_AGAIN);
  assert.deepEqual(filesToRunAgain(report(9, files(MAX_FILES_AGAIN + 1))), []);
  assert.deepEqual(filesToRunAgain(report(9, TWO, 1)), []);
});

Deno.test("settle() counts what passes the second time as passed, and names it", () => {
  const { counts, problems, flaky } = settle(report(9, TWO), report(5, []));
  assert.deepEqual(counts, { passed: 11, failed: 0, skipped: 1 });
  assert.deepEqual(problems, []);
  assert.deepEqual(flaky.map(flakyLine), ["FLAKY: a_test.ts one", "FLAKY: a_test.ts two"]);
});

Deno.test("settle() fails what fails twice", () => {
  const { counts, problems, flaky } = settle(report(9, TWO), report(4, [TWO[1]!]));
  assert.deepEqual(counts, { passed: 10, failed: 1, skipped: 1 });
  assert.deepEqual(problems, ["two"]);
  assert.deepEqual(flaky, [TWO[0]]);
});

Deno.test("settle() fails another test that fails the second time", () => {
  const other = failure("a_test.ts", "other");
  const { counts, problems } = settle(report(9, [TWO[0]!]), report(4, [other]));
  assert.deepEqual([counts.failed, problems], [1, ["other"]]);
});

Deno.test("settle() calls nothing flaky where the second run breaks off", () => {
  const { counts, flaky } = settle(report(9, TWO), report(0, [], 1));
  assert.equal(counts.failed, 1);
  assert.deepEqual(flaky, []);
});

Deno.test("settle() leaves a run as it is that has no second one", () => {
  const first = report(9, TWO);
  assert.deepEqual(settle(first, undefined), { ...first, flaky: [] });
});

Deno.test("joinReports() adds up what ran side by side", () => {
  const { counts, failures } = joinReports([report(1, TWO), report(2, []), report(3, [], 1)]);
  assert.deepEqual(counts, { passed: 6, failed: 3, skipped: 3 });
  assert.deepEqual(failures, TWO);
});
