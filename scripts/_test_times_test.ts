import assert from "node:assert/strict";
import { readTimes, slowestFiles } from "./_test_times.ts";

const JUNIT = `<testsuites name="deno test" tests="3" failures="0" errors="0" time="0.070">
    <testsuite name="./a_test.ts" tests="3" disabled="0" errors="0" failures="0">
        <testcase name="a &amp; b" classname="./a_test.ts" time="1.500" line="1" col="6">
        </testcase>
        <testcase name="c" classname="./a_test.ts" time="2.000" line="2" col="6">
        </testcase>
        <testcase name="a &amp; b &gt; one" classname="./a_test.ts" time="1.400" line="1" col="45">
        </testcase>
    </testsuite>
    <testsuite name="./b_test.ts" tests="1" disabled="0" errors="0" failures="0">
        <testcase name="d" classname="./b_test.ts" time="9.000" line="1" col="6">
        </testcase>
    </testsuite>
</testsuites>`;

Deno.test("readTimes() adds up the tests of a file, without their steps", () => {
  assert.deepEqual(readTimes(JUNIT), [
    { file: "a_test.ts", seconds: 3.5 },
    { file: "b_test.ts", seconds: 9 },
  ]);
  assert.deepEqual(readTimes(""), []);
});

Deno.test("slowestFiles() lists the longest first, no more than asked for", () => {
  assert.deepEqual(slowestFiles(readTimes(JUNIT), 1), ["    9 s  b_test.ts"]);
});
