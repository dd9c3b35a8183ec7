import assert from "node:assert/strict";
import { findUnlistedVariables } from "./check_variables.ts";

Deno.test("findUnlistedVariables() names variables of tests and scripts that are missing from the guide", () => {
  const read = (name: string) => `Deno.env.get(${JSON.stringify(name)})`;
  const sources = [
    { path: "tests/a_test.ts", text: `${read("ROUNDS")} ${read("SVC_BIN")} ${read("PATH")}` },
    { path: "src/lib/b_test.ts", text: read("RUNS") },
    { path: "src/lib/b.ts", text: read("SVC_TOKEN") },
  ];
  assert.deepEqual(findUnlistedVariables(sources, "| `SVC_BIN` | all |"), [
    "tests/a_test.ts: Add ROUNDS to the table of variables in CONTRIBUTING.md",
    "src/lib/b_test.ts: Add RUNS to the table of variables in CONTRIBUTING.md",
  ]);
});
