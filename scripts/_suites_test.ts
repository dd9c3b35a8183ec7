import assert from "node:assert/strict";
import { chooseFiles, planSuite, type Suite, SUITES, testFiles } from "./_suites.ts";

const SUITE: Suite = {
  name: "e2e",
  folders: ["tests/e2e"],
  runs: { as: "processes", perProcessor: 1.5 },
  first: ["long_test.ts", "longish_test.ts"],
  needs: [],
};

const FILES = ["a_test.ts", "long_test.ts", "longish_test.ts", "z_test.ts"];

const machine = (processors: number) => ({ processors, variable: () => undefined });

const ordered = ["long_test.ts", "longish_test.ts", "a_test.ts", "z_test.ts"];

Deno.test("planSuite() begins with the longest files, each in a process of its own", () => {
  const { batches, atOnce } = planSuite(SUITE, FILES, machine(2));
  assert.deepEqual(batches, ordered.map((file) => ({ files: [file], threads: 1 })));
  assert.equal(atOnce, 3);
});

Deno.test("planSuite() spreads the files of each folder over the run", () => {
  const files = ["a/1_test.ts", "a/2_test.ts", "a/3_test.ts", "a/4_test.ts", "b/1_test.ts"];
  const { batches } = planSuite(SUITE, files, machine(2));
  assert.deepEqual(batches.flatMap(({ files }) => files), [
    "a/1_test.ts",
    "a/2_test.ts",
    "b/1_test.ts",
    "a/3_test.ts",
    "a/4_test.ts",
  ]);
});

Deno.test("planSuite() gives threads one process, with all that run side by side", () => {
  const suite: Suite = { ...SUITE, runs: { as: "threads", perProcessor: 2 } };
  const { batches, atOnce } = planSuite(suite, FILES, machine(2));
  assert.deepEqual(batches, [{ files: ordered, threads: 4 }]);
  assert.equal(atOnce, 1);
  assert.deepEqual(planSuite(suite, [], machine(2)).batches, []);
});

Deno.test("planSuite() gives a file that changes its process a process of its own", () => {
  const suite: Suite = {
    ...SUITE,
    runs: { as: "threads", perProcessor: 1 },
    alone: ["longish_test.ts"],
  };
  assert.deepEqual(planSuite(suite, FILES, machine(2)).batches, [
    { files: ["long_test.ts", "a_test.ts", "z_test.ts"], threads: 2 },
    { files: ["longish_test.ts"], threads: 1 },
  ]);
});

Deno.test("planSuite() names the program of a suite that has one of its own", () => {
  assert.equal(planSuite(SUITE, FILES, machine(2)).program, undefined);
  const { program = "" } = planSuite({ ...SUITE, program: "scripts/in_arm64.sh" }, [], machine(2));
  assert.ok(program.startsWith("/") && program.endsWith("/scripts/in_arm64.sh"), program);
});

Deno.test("every file that a suite names is one of its tests, and is named once", () => {
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

Deno.test("the short run takes a file of each folder of the integration tests", () => {
  const { short = [] } = SUITES.find(({ name }) => name === "integration")!;
  const folderOf = (file: string) => file.split("/")[2]!;
  const all = testFiles(SUITES.find(({ name }) => name === "integration")!);
  assert.deepEqual(
    [...new Set(short.map(folderOf))].sort(),
    [...new Set(all.map(folderOf))].sort(),
  );
});
