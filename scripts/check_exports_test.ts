import assert from "node:assert/strict";
import { findUnusedExports } from "./check_exports.ts";

Deno.test("findUnusedExports() finds exported names that no other file contains", () => {
  const files = [
    { path: "a.ts", text: "const inner = 1;\nexport const used = inner;\nexport type Own = 1;\n" },
    { path: "b.ts", text: "import { used } from './a.ts';\nexport async function lone() {}\n" },
    { path: "c.ts", text: "export { used } from './a.ts';\n" },
  ];
  assert.deepEqual(findUnusedExports(files), [
    "a.ts:3: No other file uses Own: do not export it",
    "b.ts:2: No other file uses lone: do not export it",
  ]);
});
