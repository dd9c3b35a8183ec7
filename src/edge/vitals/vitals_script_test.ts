import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { VITALS_SCRIPT } from "./vitals_script.ts";

Deno.test("the web vitals script is ASCII, and at most 1 kB compressed", () => {
  const { length } = gzipSync(VITALS_SCRIPT, { level: 9 });
  assert.ok(length <= 1000, `${length} bytes`);
  assert.match(VITALS_SCRIPT, /^[\n\x20-\x7e]*$/);
});

Deno.test("the web vitals script uses no cookies, storage or other sites", () => {
  assert.doesNotMatch(VITALS_SCRIPT, /cookie|localStorage|sessionStorage|indexedDB|https?:|eval/);
});
