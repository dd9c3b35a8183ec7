import assert from "node:assert/strict";
import { addCounts, formatCounts, readCounts } from "./_test_counts.ts";

const ROWS = [
  {
    name: "a good run",
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
    name: "the closing line, not one that a test printed",
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
    name: "a run that says nothing",
    output: "",
    code: 0,
    expected: { passed: 0, failed: 1, skipped: 0 },
  },
];

for (const { name, output, code, expected } of ROWS) {
  Deno.test(`readCounts() reads ${name}`, () => {
    assert.deepEqual(readCounts(output, code), expected);
  });
}

Deno.test("formatCounts() names skipped tests only where there are any", () => {
  const some = { passed: 1, failed: 2, skipped: 0 };
  assert.equal(formatCounts(some), "1 passed, 2 failed");
  assert.equal(
    formatCounts(addCounts(some, { passed: 1, failed: 0, skipped: 3 })),
    "2 passed, 2 failed, 3 skipped",
  );
});
