import assert from "node:assert/strict";
import { runtimeRules } from "../_test_site.ts";
import { neededFunctions } from "./needed_functions.ts";

Deno.test("neededFunctions() names what enabled pipelines use, and nothing else", () => {
  const set = runtimeRules([
    {
      id: "api",
      action: { type: "pipeline", steps: [{ use: "auth", mode: "request" }, { handle: "api" }] },
    },
    {
      id: "off",
      enabled: false,
      action: { type: "pipeline", steps: [{ handle: "never" }] },
    },
    { id: "deny", action: { type: "deny" } },
  ]);
  assert.deepEqual(set.rules.flatMap(neededFunctions), [
    { ruleId: "api", function: "auth" },
    { ruleId: "api", function: "api" },
  ]);
});
