import assert from "node:assert/strict";
import { MAX_MANIFEST_BYTES } from "./limits.ts";
import { parseManifestJson } from "./parse_manifest_json.ts";

function messageOf(text: string): string | undefined {
  const result = parseManifestJson(text);
  return result.ok ? undefined : result.problems[0]?.message;
}

Deno.test("parseManifestJson() skips a byte order mark", () => {
  assert.deepEqual(parseManifestJson('\ufeff{"version":1}'), { ok: true, value: { version: 1 } });
});

Deno.test("parseManifestJson() reports line and column, both starting at 1", () => {
  assert.match(messageOf("{\n  x\n}") ?? "", /line 2, column 3:/);
  assert.match(messageOf("x") ?? "", /line 1, column 1:/);
});

Deno.test("parseManifestJson() limits the size in bytes, not characters", () => {
  const within = JSON.stringify("x".repeat(MAX_MANIFEST_BYTES - 2));
  const beyond = JSON.stringify("é".repeat(MAX_MANIFEST_BYTES / 2));
  assert.equal(messageOf(within), undefined);
  assert.match(messageOf(beyond) ?? "", /at most 1048576 bytes/);
});
