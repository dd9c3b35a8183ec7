import assert from "node:assert/strict";
import { join } from "node:path";
import { makeTestFolder } from "../src/lib/_test_folder.ts";
import { runPlan } from "./_run_suite.ts";

const BAD = 'Deno.test("fails", () => Promise.reject(new Error("always")));';
const GOOD = 'Deno.test("passes", () => {});';

/** Creates a folder with test files. */
async function testFolder(files: Readonly<Record<string, string>>) {
  const folder = await makeTestFolder("svc-run-suite-");
  const path = (name: string) => join(folder, name);
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(path(name), text);
  return { path, [Symbol.asyncDispose]: () => Deno.remove(folder, { recursive: true }) };
}

Deno.test("runPlan() runs each file once, and reports failures and times", async () => {
  await using folder = await testFolder({ "bad_test.ts": BAD, "good_test.ts": GOOD });
  const files = ["bad_test.ts", "good_test.ts"].map(folder.path);
  let output = "";
  const { counts, problems, times } = await runPlan({
    name: "e2e",
    limitMs: 60_000,
    batches: files.map((file) => ({ groups: [[file]], threads: 1 })),
    atOnce: 2,
  }, { show: (text) => output += text });
  assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
  assert.equal(problems.length, 1);
  assert.equal(output.match(/^error: .*always/gm)?.length, 1);
  assert.equal(times.length, 2);
});

Deno.test("runPlan() reports failures by file even if files share a thread", async () => {
  await using folder = await testFolder({
    "bad_test.ts": BAD,
    "broken_test.ts": 'throw new Error("does not load");',
    "good_test.ts": GOOD,
  });
  const groups = [["bad_test.ts", "broken_test.ts"].map(folder.path), [
    folder.path("good_test.ts"),
  ]];
  const batches = [{ groups, threads: 2 }];
  const { counts, problems, errors, times } = await runPlan(
    { name: "unit", limitMs: 60_000, batches, atOnce: 1 },
    { show: () => {} },
  );
  assert.deepEqual(counts, { passed: 1, failed: 2, skipped: 0 });
  assert.deepEqual(problems.toSorted(), [
    `fails => ${folder.path("bad_test.ts")}`,
    `its file loads => ${folder.path("broken_test.ts")}`,
  ]);
  assert.match(errors.join("\n"), /Error: does not load/);
  assert.equal(times.length, 3);
});

Deno.test("runPlan() reports files that it skips when the time is up", async () => {
  await using folder = await testFolder({ "good_test.ts": GOOD, "late_test.ts": GOOD });
  const files = ["good_test.ts", "late_test.ts"].map(folder.path);
  let started = 0;
  const { counts, problems, leftOut } = await runPlan({
    name: "e2e",
    limitMs: 60_000,
    batches: files.map((file) => ({ groups: [[file]], threads: 1 })),
    atOnce: 1,
  }, { show: () => {}, mayStart: () => started++ === 0 });
  assert.deepEqual(counts, { passed: 1, failed: 0, skipped: 1 });
  assert.deepEqual([problems, leftOut], [[], [folder.path("late_test.ts")]]);
});
