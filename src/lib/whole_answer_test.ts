import assert from "node:assert/strict";
import { answerOf, inPieces, isWhole } from "./whole_answer.ts";

const bodies = [
  ["bytes", new Uint8Array(64 * 1024), true],
  ["many bytes", new Uint8Array(64 * 1024 + 1), false],
  ["text", "hello", true],
  ["long text", "a".repeat(64 * 1024 + 1), false],
  ["no body", null, true],
  ["a stream", new ReadableStream(), false],
] as const;

for (const [name, body, whole] of bodies) {
  Deno.test(`answerOf() marks only short bodies as one piece: ${name}`, () => {
    const response = answerOf(body, 200);
    assert.deepEqual([isWhole(response), response.status], [whole, 200]);
  });
}

Deno.test("inPieces() shares the bytes and creates each piece on demand", async () => {
  const bytes = crypto.getRandomValues(new Uint8Array(50_000));
  const pieces: Uint8Array[] = [];
  for await (const piece of inPieces(bytes)) pieces.push(piece);
  assert.deepEqual(pieces.map(({ byteLength }) => byteLength), [32_768, 17_232]);
  assert.ok(pieces.every(({ buffer }) => buffer === bytes.buffer));
  assert.deepEqual(
    new Uint8Array(await new Response(inPieces("a\u00fc")).bytes()),
    Uint8Array.of(97, 195, 188),
  );
  assert.equal(await new Response(inPieces("")).text(), "");
});

Deno.test("inPieces() reports each piece when it is requested", async () => {
  const handed: number[] = [];
  const reader = inPieces(new Uint8Array(40_000), (bytes) => handed.push(bytes)).getReader();
  assert.deepEqual(handed, []);
  await reader.read();
  assert.deepEqual(handed, [32_768]);
  await reader.read();
  assert.deepEqual(handed, [32_768, 7232]);
});

Deno.test("isWhole() is false for an unmarked response", () => {
  assert.equal(isWhole(new Response("hello")), false);
});
