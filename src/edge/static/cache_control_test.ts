import assert from "node:assert/strict";
import { isLastingAsset } from "./cache_control.ts";

const ROWS: readonly [path: string, isLasting: boolean][] = [
  ["/_next/static/chunks/main.js", true],
  ["/_app/immutable/chunks/BCMl9T4a.js", true],
  ["/assets/index-DX2k9f1a.js", true],
  ["/assets/logo-DX2k9f1a.svg", true],
  ["/chunk-DX2k9f1a.js", true],
  ["/assets/about-abcdefgh.js", true],
  ["/assets/about-ab-d_fgh.css", true],
  ["/build/q-abcdefgh.js.map", true],
  ["/static/js/main.abcdefab.js", true],
  ["/assets/about-abcdefg.js", false],
  ["/assets/abcdefgh.js", false],
  ["/assets/photo-abcdefgh.jpg", false],
  ["/assets/plain.js", false],
  ["/photo-20260121.jpg", false],
  ["/assets/page-DX2k9f1a.html", false],
  ["/guide-abcdefgh.html", false],
];

for (const [path, isLasting] of ROWS) {
  Deno.test(`isLastingAsset() is ${isLasting} for ${path}`, () => {
    assert.equal(isLastingAsset(path), isLasting);
  });
}
