import assert from "node:assert/strict";
import { createECDH } from "node:crypto";
import { isP256Point } from "./p256_point.ts";

const point = (): Uint8Array => new Uint8Array(createECDH("prime256v1").generateKeys());

Deno.test("isP256Point() accepts generated keys", () => {
  for (let round = 0; round < 20; round++) assert.ok(isP256Point(point()));
});

Deno.test("isP256Point() refuses points that are incomplete or not on the curve", () => {
  const good = point();
  const changed = (at: number, value: number) => good.with(at, value);
  const field = new Uint8Array(32).fill(255);
  const rows: Readonly<Record<string, Uint8Array>> = {
    "another y": changed(64, good[64]! ^ 1),
    "another x": changed(1, good[1]! ^ 1),
    "a hybrid form": changed(0, 6 + (good[64]! & 1)),
    "a compressed form": good.slice(0, 33).with(0, 2),
    "the point at infinity": new Uint8Array(1),
    "zeros": new Uint8Array(65).with(0, 4),
    "coordinates outside the field": new Uint8Array([4, ...field, ...field]),
    "no bytes": new Uint8Array(0),
    "an extra byte": new Uint8Array([...good, 0]),
  };
  for (const [name, bytes] of Object.entries(rows)) assert.ok(!isP256Point(bytes), name);
});
