import assert from "node:assert/strict";
import { acceptedFormat } from "./negotiate_format.ts";

Deno.test("acceptedFormat() returns the first offered format that is accepted by name", () => {
  const both = ["avif", "webp"] as const;
  const rows: readonly (readonly [string | null, string | undefined])[] = [
    ["image/avif,image/webp,*/*;q=0.8", "avif"],
    ["image/webp,*/*", "webp"],
    ["image/avif;q=0,image/webp", "webp"],
    ["image/avif; q=0.000 , IMAGE/WEBP ;q=0.1", "webp"],
    ["image/*", undefined],
    ["*/*", undefined],
    ["", undefined],
    ["image/avifx", undefined],
    [null, undefined],
  ];
  for (const [accept, expected] of rows) {
    assert.equal(acceptedFormat(accept, both), expected, String(accept));
  }
  assert.equal(acceptedFormat("image/avif,image/webp", ["webp", "avif"]), "webp");
  assert.equal(acceptedFormat("image/avif,image/webp", []), undefined);
});
