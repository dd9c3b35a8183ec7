import assert from "node:assert/strict";
import { addCounts, formatCounts, readReport } from "./_test_counts.ts";

const ROWS = [
  {
    name: "a successful run",
    output: "ok | 32 passed | 0 failed (126ms)\n",
    code: 0,
    expected: { passed: 32, failed: 0, skipped: 0 },
  },
  {
    name: "steps and ignored tests",
    output: "ok | 3 passed (12 steps) | 0 failed | 2 ignored (1s)\n",
    code: 0,
    expected: { passed: 3, failed: 0, skipped: 2 },
  },
  {
    name: "failed tests with steps",
    output: "FAILED | 3 passed (1 step) | 2 failed (4 steps) (1s)\n\nerror: Test failed\n",
    code: 1,
    expected: { passed: 3, failed: 2, skipped: 0 },
  },
  {
    name: "the closing line, not a line that a test printed",
    output: "ok | 9 passed | 9 failed\nok | 1 passed | 0 failed (1ms)\n",
    code: 0,
    expected: { passed: 1, failed: 0, skipped: 0 },
  },
  {
    name: "a module that does not load",
    output: "error: Module not found\n",
    code: 1,
    expected: { passed: 0, failed: 1, skipped: 0 },
  },
  {
    name: "a crash after the tests",
    output: "ok | 5 passed | 0 failed (1ms)\n",
    code: 139,
    expected: { passed: 5, failed: 1, skipped: 0 },
  },
  {
    name: "a run without any output",
    output: "",
    code: 0,
    expected: { passed: 0, failed: 1, skipped: 0 },
  },
];

for (const { name, output, code, expected } of ROWS) {
  Deno.test(`readReport() counts ${name}`, () => {
    const { counts, problems } = readReport(output, { code, signal: null, timedOut: false });
    assert.deepEqual(counts, expected);
    assert.equal(problems.length > 0, expected.failed > 0);
  });
}

const INTERRUPTED = `./a_test.ts => one passes ... ok (839µs)
./a_test.ts => skipped ... ignored (0ms)
./a_test.ts => two fails ... FAILED (1ms)
./a_test.ts => three has steps ... s1 ... ok (0ms)
------- output -------
hello

SIGINT The following tests were pending:

three has steps ... s2 hangs => ./a_test.ts:4:83
three has steps => ./a_test.ts:4:6

`;

Deno.test("readReport() names the test that was running when the time was up", () => {
  assert.deepEqual(readReport(INTERRUPTED, { code: 130, signal: null, timedOut: true }), {
    counts: { passed: 1, failed: 2, skipped: 1 },
    problems: [
      "./a_test.ts => two fails",
      "interrupted, took too long: three has steps => ./a_test.ts:4:6",
    ],
    errors: INTERRUPTED.trim(),
  });
});

Deno.test("readReport() counts a killed run as a failure", () => {
  const output =
    "running 2 tests from ./a_test.ts\none ... ok (1ms)\ntwo ...\n  step ... ok (1ms)\n";
  const { counts, problems } = readReport(output, { code: 137, signal: "SIGKILL", timedOut: true });
  assert.deepEqual(counts, { passed: 1, failed: 1, skipped: 0 });
  assert.match(problems[0]!, /took too long/);
});

Deno.test("readReport() names failed tests, without their steps", () => {
  const output = ` FAILURES 

three has steps ... s2 => ./a_test.ts:4:83
three has steps => ./a_test.ts:4:6
./d_test.ts (uncaught error)

FAILED | 3 passed (1 step) | 2 failed (4 steps) (1s)
`;
  const { problems } = readReport(output, { code: 1, signal: null, timedOut: false });
  assert.deepEqual(problems, [
    "three has steps => ./a_test.ts:4:6",
    "./d_test.ts (uncaught error)",
  ]);
});

/** Deno's output for parallel files: one throws on load, a step of another fails. */
const BESIDE = `./t/e_test.ts => te ... ok (409ms)
Uncaught error from ./t/x_test.ts FAILED
./t/y_test.ts => bad ... s ... FAILED (2ms)
./t/y_test.ts => bad ... FAILED (due to 1 failed step) (13ms)
./t/z_test.ts => worse ... FAILED (3ms)

 ERRORS 

./t/x_test.ts (uncaught error)
error: (in promise) Error: x

 FAILURES 

./t/x_test.ts (uncaught error)
bad ... s => ./t/y_test.ts:1:41
worse => ./helpers/declare.ts:1:41

FAILED | 1 passed | 3 failed (1 step) (2s)
`;

const BAD_END = { code: 1, signal: null, timedOut: false };

Deno.test("readReport() names the files of failed tests that ran side by side, and their errors", () => {
  const { problems, errors } = readReport(BESIDE, BAD_END);
  assert.deepEqual(problems, [
    "bad => t/y_test.ts",
    "worse => t/z_test.ts",
    "(outside of its tests) => t/x_test.ts",
  ]);
  assert.equal(errors, "./t/x_test.ts (uncaught error)\nerror: (in promise) Error: x");
});

Deno.test("readReport() names the file of a failed test that ran alone", () => {
  const output = `running 1 test from ./t/a_test.ts
one ... ok (1ms)
running 1 test from ./t/y_test.ts
bad ...
  s ... FAILED (2ms)
bad ... FAILED (due to 1 failed step) (7ms)

 FAILURES 

bad ... s => ./t/y_test.ts:1:41

FAILED | 1 passed | 1 failed (1 step) (2s)
`;
  const { problems } = readReport(output, BAD_END);
  assert.deepEqual(problems, ["bad => t/y_test.ts"]);
});

Deno.test("formatCounts() includes skipped tests only if there are any", () => {
  const some = { passed: 1, failed: 2, skipped: 0 };
  assert.equal(formatCounts(some), "1 passed, 2 failed");
  assert.equal(
    formatCounts(addCounts(some, { passed: 1, failed: 0, skipped: 3 })),
    "2 passed, 2 failed, 3 skipped",
  );
});
