import assert from "node:assert/strict";
import fc from "fast-check";
import { LineBuffer } from "./line_buffer.ts";

const decode = (chunks: readonly Uint8Array[]) =>
  chunks.map((chunk) => new TextDecoder().decode(chunk));

Deno.test("added lines are returned in order, each within a single chunk", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "grapheme", maxLength: 9_000 })), (lines) => {
      const buffer = new LineBuffer();
      for (const line of lines) buffer.add(line);
      const chunks = buffer.chunks();
      assert.equal(decode(chunks).join(""), lines.map((line) => `${line}\n`).join(""));
      assert.equal(buffer.lines, lines.length);
      for (const chunk of chunks) assert(chunk.byteLength === 0 || chunk.at(-1) === 10);
    }),
    { numRuns: 30 },
  );
});

Deno.test("many lines fit into few chunks", () => {
  const buffer = new LineBuffer();
  for (let count = 0; count < 10_000; count++) buffer.add("x".repeat(299));
  assert(buffer.chunks().length < 20);
});

Deno.test("batches of lines use little more memory than their bytes", () => {
  const buffer = new LineBuffer();
  const batch = "x".repeat(48 * 1024);
  for (let count = 0; count < 100; count++) buffer.add(batch);
  const chunks = buffer.chunks();
  const bytes = chunks.reduce((sum, { byteLength }) => sum + byteLength, 0);
  assert.equal(bytes, 100 * (batch.length + 1));
  const held = new Set(chunks.map(({ buffer }) => buffer));
  const memory = [...held].reduce((sum, { byteLength }) => sum + byteLength, 0);
  assert.ok(memory < 1.3 * bytes, `${memory} bytes for ${bytes}`);
});
