import assert from "node:assert/strict";
import * as fc from "fast-check";
import { Cutter } from "./cut_stream.ts";

const BOUNDS = { min: 64, max: 1024, bits: 7 };

function cut(bytes: Uint8Array, piece = bytes.length || 1): string[] {
  const cutter = new Cutter("secret", BOUNDS);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += piece) {
    for (const part of cutter.push(bytes.subarray(at, at + piece))) parts.push(part.toHex());
  }
  for (const part of cutter.finish()) parts.push(part.toHex());
  return parts;
}

Deno.test("Cutter cuts within its limits, at the same positions however the bytes arrive", () => {
  const bytes = fc.uint8Array({ minLength: 0, maxLength: 5000 });
  fc.assert(fc.property(bytes, fc.integer({ min: 1, max: 700 }), (content, piece) => {
    const parts = cut(content);
    assert.deepEqual(cut(content, piece), parts);
    assert.equal(parts.join(""), content.toHex());
    assert.ok(parts.every((part) => part.length / 2 <= BOUNDS.max));
    assert.ok(parts.slice(0, -1).every((part) => part.length / 2 >= BOUNDS.min));
  }));
});

Deno.test("Cutter cuts identical parts before and after a change", () => {
  const content = Uint8Array.from({ length: 60_000 }, (_, at) => Math.imul(at, 2654435761) >>> 13);
  const changed = new Uint8Array([
    ...content.subarray(0, 30_000),
    1,
    2,
    3,
    ...content.subarray(30_000),
  ]);
  const before = new Set(cut(content));
  const other = cut(changed).filter((part) => !before.has(part));
  assert.ok(before.size > 100);
  assert.ok(other.length <= 4, `${other.length} of ${before.size} parts are new`);
});
