import assert from "node:assert/strict";
import { normalizeRules } from "../rule_set/normalize.ts";
import { SCHEMA_VERSION } from "../rule_set/types.ts";
import { startPace } from "../work.ts";
import { warnRedirectLoops } from "./redirect_loops.ts";

const codesOf = (statusCode: number) => {
  const { rules } = normalizeRules({
    schemaVersion: SCHEMA_VERSION,
    rules: [{
      id: "self",
      condition: { path: { type: "exact", value: "/a" } },
      action: { type: "redirect", target: "/a", statusCode },
    }],
  });
  const placed = rules.map((rule, index) => ({ index, rule }));
  return [...warnRedirectLoops(placed, startPace())].flatMap((finding) => finding?.code ?? []);
};

for (const status of [301, 302, 303, 307, 308]) {
  Deno.test(`warnRedirectLoops() finds a ${status} to itself`, () =>
    assert.deepEqual(codesOf(status), ["redirect_loop"]));
}

for (const status of [300, 304, 305]) {
  Deno.test(`warnRedirectLoops() allows a ${status} from a path to itself, because no client follows it`, () =>
    assert.deepEqual(codesOf(status), []));
}
