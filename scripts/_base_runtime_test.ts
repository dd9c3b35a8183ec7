import assert from "node:assert/strict";
import { runtimeVersion } from "./_base_runtime.ts";

Deno.test("runtimeVersion() reads the version, not similar text", () => {
  const bytes = new TextEncoder().encode("\0Deno/x Deno/ DDeno/2.7.11+8871ade\0");
  assert.equal(runtimeVersion(bytes), "2.7.11");
  assert.equal(runtimeVersion(new Uint8Array([0xff, 0x44])), undefined);
});
