import assert from "node:assert/strict";
import { pageLimit, wholeNumber } from "./common.ts";

for (const given of ["0", "101", "-1", "1.5", "0x10", "1e1", "", " 1"]) {
  Deno.test(`pageLimit() refuses ${JSON.stringify(given)} and names its range`, () => {
    const message = "Must be a whole number from 1 to 100, using only digits";
    assert.deepEqual(
      pageLimit(100, 20).safeParse(given).error?.issues.map((issue) => issue.message),
      [message],
    );
  });
}

Deno.test("wholeNumber() without a maximum names the minimum", () => {
  const [issue] = wholeNumber({ min: 0 }).safeParse("-1").error?.issues ?? [];
  assert.equal(issue?.message, "Must be a whole number of at least 0, using only digits");
  assert.equal(wholeNumber({ min: 0 }).parse("12"), 12);
});
