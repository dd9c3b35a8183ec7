import assert from "node:assert/strict";
import { compressesByItself, preventCompression } from "./automatic_compression.ts";

for (
  const [version, compresses] of Object.entries({
    "1.46.3": true,
    "2.6.10": true,
    "2.7.14": true,
    "2.9.0": false,
    "2.10.0": false,
    "2.9.6+abc": false,
    "3.0.0-rc.1": false,
  })
) {
  Deno.test(`compressesByItself() of Deno ${version}`, () => {
    assert.equal(compressesByItself(version), compresses);
  });
}

Deno.test("preventCompression() leaves an encoded answer as it is", () => {
  const encoded = new Headers({ "content-encoding": "br" });
  preventCompression(encoded);
  assert.equal(encoded.get("content-encoding"), "br");
  const plain = new Headers();
  preventCompression(plain);
  assert.equal(plain.get("content-encoding"), "identity");
});
