import assert from "node:assert/strict";
import { planSuite, type Suite, SUITES, testFiles } from "./_suites.ts";

const SUITE: Suite = {
  name: "e2e",
  folders: ["tests/e2e"],
  runs: { as: "processes", perProcessor: 1.5 },
  first: ["long_test.ts", "longish_test.ts"],
  alone: { "load_test.ts": "needs all processors" },
  needs: [],
};

const FILES = ["a_test.ts", "load_test.ts", "long_test.ts", "longish_test.ts", "z_test.ts"];

const machine = (processors: number, variables: Readonly<Record<string, string>> = {}) => ({
  processors,
  variable: (name: string) => variables[name],
});

const ordered = ["long_test.ts", "longish_test.ts", "a_test.ts", "z_test.ts"];

Deno.test("planSuite() begins with the longest files, each in a process of its own", () => {
  const { together, atOnce, alone } = planSuite(SUITE, FILES, machine(2));
  assert.deepEqual(together, ordered.map((file) => ({ files: [file], threads: 1 })));
  assert.equal(atOnce, 3);
  assert.deepEqual(alone, [{ files: ["load_test.ts"], threads: 1 }]);
});

Deno.test("planSuite() gives threads one process, with all that run side by side", () => {
  const suite: Suite = { ...SUITE, runs: { as: "threads", perProcessor: 2 } };
  const { together, atOnce } = planSuite(suite, FILES, machine(2));
  assert.deepEqual(together, [{ files: ordered, threads: 4 }]);
  assert.equal(atOnce, 1);
  assert.deepEqual(planSuite(suite, [], machine(2)).together, []);
});

const named = (name: string) => SUITES.find((suite) => suite.name === name)!;

const filesOf = (name: string, variables: Readonly<Record<string, string>>) => {
  const suite = named(name);
  const { together, alone } = planSuite(suite, testFiles(suite), machine(1, variables));
  return [...together, ...alone].flatMap(({ files }) => files);
};

Deno.test("planSuite() leaves long tests to the compiled program where it is told to", () => {
  const git = "tests/integration/builds/git_test.ts";
  assert.ok(!filesOf("integration", { LEAVE_TO_PROGRAM: "1" }).includes(git));
  assert.ok(filesOf("integration", { SVC_BIN: "dist/svc" }).includes(git));
});

Deno.test("planSuite() takes a few tests for the short run in an empty root", () => {
  const all = testFiles(named("e2e"));
  const short = filesOf("e2e", { EMPTY_ROOT: "short", SVC_BIN: "scripts/in_empty_root.sh" });
  assert.ok(short.length > 0 && short.every((file) => all.includes(file)), short.join());
  assert.equal(filesOf("e2e", { EMPTY_ROOT: "libc", SVC_BIN: "x" }).length, all.length);
});

Deno.test("every file that a suite names is one of its tests, and has one place", () => {
  for (const suite of SUITES) {
    const files = testFiles(suite);
    const listed = [...suite.first, ...Object.keys(suite.alone)];
    assert.deepEqual(listed.filter((file) => !files.includes(file)), [], suite.name);
    assert.equal(new Set(listed).size, listed.length, suite.name);
    assert.equal(new Set(filesOf(suite.name, {})).size, files.length, suite.name);
  }
});
