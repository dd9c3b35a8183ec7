import assert from "node:assert/strict";
import { chooseFiles, type Plan, planSuites, type Suite, SUITES, testFiles } from "./_suites.ts";

const SUITE: Suite = {
  name: "e2e",
  folders: ["tests/e2e"],
  runs: { as: "processes" },
  first: ["long_test.ts", "longish_test.ts"],
  needs: [],
};

const FILES = ["a_test.ts", "long_test.ts", "longish_test.ts", "z_test.ts"];

const ordered = ["long_test.ts", "longish_test.ts", "a_test.ts", "z_test.ts"];

const plan = (...chosen: Parameters<typeof planSuites>[0]) =>
  planSuites(chosen, { processors: 2, variable: () => undefined });

Deno.test("planSuites() starts the longest files first, each in its own process", () => {
  const [{ batches, atOnce }] = plan({ suite: SUITE, files: FILES }) as [Plan];
  assert.deepEqual(batches, ordered.map((file) => ({ groups: [[file]], threads: 1 })));
  assert.equal(atOnce, 3);
});

Deno.test("planSuites() spreads the files of each folder over the run", () => {
  const files = ["a/1_test.ts", "a/2_test.ts", "a/3_test.ts", "a/4_test.ts", "b/1_test.ts"];
  const [{ batches }] = plan({ suite: SUITE, files }) as [Plan];
  assert.deepEqual(batches.flatMap(({ groups }) => groups.flat()), [
    "a/1_test.ts",
    "a/2_test.ts",
    "b/1_test.ts",
    "a/3_test.ts",
    "a/4_test.ts",
  ]);
});

Deno.test("planSuites() runs all files that can share a thread in one process", () => {
  const suite: Suite = { ...SUITE, runs: { as: "threads", perProcessor: 1.5, share: 2 } };
  const [{ batches, atOnce }] = plan({ suite, files: FILES }) as [Plan];
  const groups = [["long_test.ts"], ["longish_test.ts"], ["a_test.ts", "z_test.ts"]];
  assert.deepEqual(batches, [{ groups, threads: 3 }]);
  assert.equal(atOnce, 1);
});

Deno.test("planSuites() runs each file that changes its process in a separate process", () => {
  const suite: Suite = {
    ...SUITE,
    runs: { as: "threads", perProcessor: 1, share: 1 },
    alone: ["longish_test.ts"],
  };
  assert.deepEqual(plan({ suite, files: FILES })[0]!.batches, [
    { groups: [["long_test.ts"], ["a_test.ts"], ["z_test.ts"]], threads: 2 },
    { groups: [["longish_test.ts"]], threads: 1 },
  ]);
});

Deno.test("planSuites() runs most processes in parallel, then those that must run alone", () => {
  const suite = (name: string, part: Partial<Suite> = {}): Suite => ({ ...SUITE, name, ...part });
  const plans = plan(
    {
      suite: suite("unit", { runs: { as: "threads", perProcessor: 1, share: 1 } }),
      files: ["u_test.ts"],
    },
    { suite: SUITE, files: ["e_test.ts", "longish_test.ts"] },
    { suite: suite("cluster", { runs: { as: "lone processes" } }), files: ["c_test.ts"] },
    {
      suite: suite("arm64", { program: "scripts/in_arm64.sh", first: ["p_test.ts"] }),
      files: ["p_test.ts"],
    },
  );
  assert.deepEqual(plans.map(({ name, atOnce }) => [name, atOnce]), [
    ["unit", 1],
    ["e2e, arm64", 3],
    ["cluster", 1],
  ]);
  const [first, ...others] = plans[1]!.batches;
  assert.deepEqual(first!.groups, [["p_test.ts"]]);
  assert.match(first!.program!, /^\/.+\/scripts\/in_arm64\.sh$/);
  assert.deepEqual(others, [
    { groups: [["longish_test.ts"]], threads: 1 },
    { groups: [["e_test.ts"]], threads: 1 },
  ]);
});

Deno.test("every file that a suite names is one of its tests, and is named only once", () => {
  for (const suite of SUITES) {
    const files = testFiles(suite);
    for (
      const listed of [
        suite.first,
        suite.alone ?? [],
        suite.short ?? [],
        chooseFiles(suite, "empty root"),
      ]
    ) {
      assert.deepEqual(listed.filter((file) => !files.includes(file)), [], suite.name);
      assert.equal(new Set(listed).size, listed.length, suite.name);
    }
    assert.deepEqual(chooseFiles(suite, "all"), files);
  }
});

Deno.test("the short run includes a file from each folder of integration tests", () => {
  const { short = [] } = SUITES.find(({ name }) => name === "integration")!;
  const folderOf = (file: string) => file.split("/")[2]!;
  const all = testFiles(SUITES.find(({ name }) => name === "integration")!);
  assert.deepEqual(
    [...new Set(short.map(folderOf))].sort(),
    [...new Set(all.map(folderOf))].sort(),
  );
});
