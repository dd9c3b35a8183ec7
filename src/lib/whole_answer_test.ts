import assert from "node:assert/strict";
import { isWhole, markWhole } from "./whole_answer.ts";

const bodies = [
  ["bytes", new Uint8Array(64 * 1024), true],
  ["many bytes", new Uint8Array(64 * 1024 + 1), false],
  ["text", "hello", true],
  ["long text", "a".repeat(64 * 1024 + 1), false],
  ["nothing", null, true],
  ["a stream", new ReadableStream(), false],
] as const;

for (const [name, body, whole] of bodies) {
  Deno.test(`markWhole() of ${name}`, () => {
    assert.equal(isWhole(markWhole(new Response(body), body)), whole);
  });
}

Deno.test("isWhole() of an answer that nobody marked", () => {
  assert.equal(isWhole(new Response("hello")), false);
});
