import assert from "node:assert/strict";
import fc from "fast-check";
import { type Bytes, bytesOf, toMemoryBody } from "./body.ts";

/** Returns the content as a part of a larger buffer, at an odd offset. */
function partOf(content: Uint8Array): Bytes {
  const larger = new Uint8Array(content.byteLength + 70_000);
  larger.set(content, 3);
  return larger.subarray(3, 3 + content.byteLength);
}

Deno.test("toMemoryBody() keeps every byte, and keeps only ASCII as a string", () => {
  const ascii = fc.array(fc.nat(127)).map((bytes) => Uint8Array.from(bytes));
  const any = fc.uint8Array();
  fc.assert(fc.property(fc.oneof(ascii, any), (content) => {
    const body = toMemoryBody(partOf(content));
    assert.equal(typeof body === "string", content.every((byte) => byte < 128));
    assert.deepEqual([...bytesOf(body)], [...content]);
    if (typeof body !== "string") assert.equal(body.buffer.byteLength, content.byteLength);
  }));
});

Deno.test("toMemoryBody() does not copy bytes that have their own buffer", () => {
  const bytes = Uint8Array.of(200, 201);
  assert.equal(toMemoryBody(bytes), bytes);
});

Deno.test("toMemoryBody() keeps long or unwanted text as bytes", () => {
  const long = new Uint8Array(65 * 1024).fill(97);
  assert.equal(toMemoryBody(long), long);
  assert.deepEqual(toMemoryBody("abc", { mayBeText: false }), Uint8Array.of(97, 98, 99));
  assert.equal(toMemoryBody(Uint8Array.of(97)), "a");
  assert.equal(toMemoryBody("abc"), "abc");
});
