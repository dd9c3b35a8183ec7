import assert from "node:assert/strict";
import fc from "fast-check";
import { readEvents } from "./events.ts";

function streamOf(chunks: readonly Uint8Array<ArrayBuffer>[]) {
  return ReadableStream.from(chunks);
}

const encode = (text: string) => new TextEncoder().encode(text);

async function read(chunks: readonly Uint8Array<ArrayBuffer>[]): Promise<string[]> {
  return (await Array.fromAsync(readEvents(streamOf(chunks)))).map(({ data }) => data);
}

Deno.test("readEvents() skips comments and other fields", async () => {
  const text = ": hello\n\nevent: log\nid: 4\ndata: one\n\ndata:two\ndata: three\n\ndata: cut";
  assert.deepEqual(await read([encode(text)]), ["one", "two\nthree"]);
});

Deno.test("readEvents() does not depend on how the stream is split", async () => {
  const bytes = encode("data: grüße\r\n\r\ndata: a\ndata: b\n\n: beat\n\ndata: {}\n\n");
  await fc.assert(fc.asyncProperty(
    fc.uniqueArray(fc.integer({ min: 1, max: bytes.length - 1 }), { maxLength: 12 }),
    async (cuts) => {
      const at = [0, ...cuts.sort((left, right) => left - right), bytes.length];
      const chunks = at.slice(1).map((end, index) => bytes.slice(at[index], end));
      assert.deepEqual(await read(chunks), ["grüße", "a\nb", "{}"]);
    },
  ));
});

Deno.test("readEvents() refuses an endless event", async () => {
  const piece = encode(`data: ${"x".repeat(600_000)}`);
  await assert.rejects(read([piece, piece]), RangeError);
});
