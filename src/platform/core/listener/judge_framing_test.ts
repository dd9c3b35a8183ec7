import assert from "node:assert/strict";
import { framingProblem } from "./judge_framing.ts";

Deno.test("framingProblem() refuses a length beside a coding, and neither alone", () => {
  const [length, coding] = [{ "content-length": "5" }, { "transfer-encoding": "chunked" }];
  assert.match(framingProblem(new Headers({ ...length, ...coding }))!, /not both/);
  for (const headers of [length, coding, {}]) {
    assert.equal(framingProblem(new Headers(headers)), undefined);
  }
});
