import assert from "node:assert/strict";
import { refuseVersion, satisfies } from "./version.ts";

Deno.test("satisfies() compares the parts of a version as whole numbers", () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ["24.1.0", "24", true],
    ["24.1.0", "24.1", true],
    ["24.1.0", "24.1.0", true],
    ["24.10.0", "24.1", false],
    ["240.1.0", "24", false],
    ["24.1.0", "24.1.0.0", false],
    ["24", "24", false],
    ["24.0.0-nightly", "24", false],
  ];
  for (const [whole, wanted, expected] of rows) {
    assert.equal(satisfies(whole, wanted), expected, `${whole} for ${wanted}`);
  }
});

Deno.test("refuseVersion() names a version that is too old, and where to set a newer one", () => {
  assert.equal(refuseVersion("18.0.0"), undefined);
  assert.match(refuseVersion("16.20")!, /^Node 16\.20 is too old: .* Node 18 .*engines\.node/);
});
