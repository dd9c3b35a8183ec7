import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { hmacSha256 } from "./hash.ts";

Deno.test("hmacSha256() matches the runtime's HMAC for keys of any length", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 130 }), fc.string({ unit: "binary" }), (key, text) => {
      const wanted = createHmac("sha256", key).update(text).digest("hex");
      assert.equal(hmacSha256(key, text).toHex(), wanted);
    }),
    { examples: [[new Uint8Array(64), ""], [new Uint8Array(65), "a"]] },
  );
});
