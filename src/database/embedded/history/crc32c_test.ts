import assert from "node:assert/strict";
import { crc32c } from "./crc32c.ts";

Deno.test("crc32c() returns the values of RFC 3720, even if bytes are passed in parts", () => {
  const bytes = Uint8Array.from({ length: 32 }, (_, at) => at);
  assert.equal(crc32c(new Uint8Array(32)), 0x8a9136aa);
  assert.equal(crc32c(bytes), 0x46dd794e);
  assert.equal(crc32c(bytes.subarray(20), crc32c(bytes.subarray(0, 20))), 0x46dd794e);
});
