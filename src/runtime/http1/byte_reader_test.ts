import { deepEqual, equal, rejects } from "node:assert/strict";
import fc from "fast-check";
import { ByteReader } from "./byte_reader.ts";
import { OutboundError } from "./errors.ts";

const line = fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 60 }).map((codes) =>
  String.fromCharCode(...codes.filter((code) => code !== 13 && code !== 10))
);

/** Reads a string in pieces of the given sizes. Each character is a byte. */
function readerOf(text: string, sizes: readonly number[]): ByteReader {
  const bytes = Uint8Array.from(text, (character) => character.charCodeAt(0));
  let [at, reads] = [0, 0];
  return new ByteReader((buffer) => {
    if (at === bytes.length) return Promise.resolve(null);
    const size = Math.min(sizes[reads++ % sizes.length]!, buffer.length);
    const piece = bytes.subarray(at, at + size);
    buffer.set(piece);
    at += piece.length;
    return Promise.resolve(piece.length);
  });
}

Deno.test("ByteReader.until() reads bytes as characters, regardless of how they are split", async () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), sizes, async (lines, sizes) => {
      const reader = readerOf(lines.map((text) => `${text}\r\n`).join(""), sizes);
      for (const text of lines) equal(await reader.until("line", 1000), text);
      await rejects(async () => await reader.until("line", 1000), OutboundError);
    }),
  );
});

Deno.test("ByteReader.until() ends the headers at the empty line and leaves the body", async () => {
  const reader = readerOf("HTTP/1.1 200 OK\r\nx-name: caf\xe9\r\n\r\nbody", [100]);
  equal(await reader.until("head", 1000), "HTTP/1.1 200 OK\r\nx-name: caf\xe9");
  equal(new TextDecoder().decode(await reader.someOf(100)), "body");
});

Deno.test("ByteReader.until() refuses headers that exceed the limit", async () => {
  const reader = readerOf("x".repeat(200), [50]);
  await rejects(async () => await reader.until("head", 100), /too large/);
});

Deno.test("ByteReader.takeWhole() returns ASCII as text, and other bytes unchanged", async () => {
  const any = fc.array(fc.integer({ min: 0, max: 255 }), { minLength: 1, maxLength: 60 });
  const ascii = fc.array(fc.nat(127), { minLength: 1, maxLength: 60 });
  await fc.assert(fc.asyncProperty(fc.oneof(any, ascii), async (codes) => {
    const reader = readerOf(`${String.fromCharCode(...codes)}rest`, [100]);
    await reader.fill();
    const whole = reader.takeWhole(codes.length);
    equal(typeof whole === "string", codes.every((code) => code < 128));
    deepEqual([...typeof whole === "string" ? new TextEncoder().encode(whole) : whole], codes);
    deepEqual(reader.take(4), new TextEncoder().encode("rest"));
  }));
});
