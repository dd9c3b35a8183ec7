import assert from "node:assert/strict";
import { safeReturnPath } from "./return_path.ts";

const ORIGIN = "http://localhost:8787";

const returns = [
  ["/device?code=AB", "/device?code=AB"],
  ["//evil.example", "/"],
  ["/\\evil.example", "/"],
  ["/a\\..\\evil", "/"],
  ["https://evil.example", "/"],
  ["/\t/evil.example", "/"],
  ["\n//evil.example", "/"],
  ["javascript:alert(1)", "/"],
  ["", "/"],
  [null, "/"],
] as const;

for (const [given, expected] of returns) {
  Deno.test(`safeReturnPath() returns ${expected} for ${JSON.stringify(given)}`, () => {
    const path = safeReturnPath(given);
    assert.equal(path, expected);
    assert.equal(new URL(path, ORIGIN).origin, ORIGIN);
  });
}
