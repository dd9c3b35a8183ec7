import assert from "node:assert/strict";
import { readLimited } from "./read_limited.ts";

Deno.test("readLimited() joins the content of a stream, up to its limit", async () => {
  const chunks = [Uint8Array.of(1, 2), Uint8Array.of(), Uint8Array.of(3)];
  assert.deepEqual(await readLimited(chunks, 3), Uint8Array.of(1, 2, 3));
  assert.deepEqual(await readLimited(ReadableStream.from(chunks), 3), Uint8Array.of(1, 2, 3));
  assert.deepEqual(await readLimited(null, 0), new Uint8Array());
});

Deno.test("readLimited() cancels a larger stream, and reads no more of it", async () => {
  let [reads, isCancelled] = [0, false];
  const endless = new ReadableStream<Uint8Array>({
    pull(controller) {
      reads++;
      controller.enqueue(new Uint8Array(10));
    },
    cancel: () => void (isCancelled = true),
  }, { highWaterMark: 0 });
  assert.equal(await readLimited(endless, 25), undefined);
  assert.deepEqual([reads, isCancelled], [3, true]);
});
