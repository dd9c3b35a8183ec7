import assert from "node:assert/strict";
import { meetsRange } from "./node_version.ts";

const ROWS: readonly (readonly [string, string, boolean])[] = [
  ["v20.20.2", ">=22.12.0", false],
  ["v22.12.0", ">=22.12.0", true],
  ["v22.11.9", ">=22.12.0", false],
  ["v24.1.0", ">=22.12", true],
  ["v21.0.0", "^20.19.0 || >=22.12.0", false],
  ["v20.19.5", "^20.19.0 || >=22.12.0", true],
  ["v20.20.0", "~20.19.0", false],
  ["v20.20.0", "20 - 22", true],
  ["unknown", ">=22", true],
];

for (const [version, range, met] of ROWS) {
  Deno.test(`meetsRange() returns ${met} for ${version} in ${range}`, () => {
    assert.equal(meetsRange(version, range), met);
  });
}
