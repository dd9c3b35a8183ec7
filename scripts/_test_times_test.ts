import assert from "node:assert/strict";
import { readTimes, slowestFiles } from "./_test_times.ts";

const BESIDE = `./t/a_test.ts => one ... s ... ok (900ms)
./t/a_test.ts => one ... ok (1s)
./t/a_test.ts => two ... FAILED (due to 1 failed step) (1m6s)
./t/b_test.ts => three ... ok (500ms)
./t/b_test.ts => four ... ignored (0ms)
`;

const ALONE = `running 1 test from ./t/c_test.ts
one ...
  s ... ok (2s)
one ... ok (3s)
`;

Deno.test("readTimes() adds up the tests of a file, without their steps", () => {
  assert.deepEqual(readTimes(BESIDE), [
    { file: "t/a_test.ts", seconds: 67 },
    { file: "t/b_test.ts", seconds: 0.5 },
  ]);
  assert.deepEqual(readTimes(ALONE), [{ file: "t/c_test.ts", seconds: 3 }]);
  assert.deepEqual(readTimes(""), []);
});

Deno.test("slowestFiles() lists the longest first, up to the requested number", () => {
  assert.deepEqual(slowestFiles(readTimes(BESIDE), 1), ["   67 s  t/a_test.ts"]);
});
