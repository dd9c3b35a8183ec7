import assert from "node:assert/strict";
import { withFunctionLimits } from "./function_limits.ts";

const MANIFEST = { version: 1, layers: [], routes: [] };

Deno.test("withFunctionLimits() prefers the limits in svc.toml to those in the manifest", () => {
  const config = { functions: { cpuMs: 200 } };
  const expected = { ...MANIFEST, functionLimits: { cpuMs: 200 } };
  assert.deepEqual(withFunctionLimits(MANIFEST, config), expected);
  const own = { ...MANIFEST, functionLimits: { cpuMs: 9000 } };
  assert.deepEqual(withFunctionLimits(own, config), expected);
  assert.equal(withFunctionLimits(own, { functions: {} }), own);
  assert.equal(withFunctionLimits(own, undefined), own);
});

Deno.test("withFunctionLimits() returns anything but a manifest unchanged", () => {
  for (const value of [null, 3, "text", []]) {
    assert.equal(withFunctionLimits(value, { functions: { cpuMs: 200 } }), value);
  }
});
