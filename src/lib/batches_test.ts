import assert from "node:assert/strict";
import { Batches, TooFarBehindError } from "./batches.ts";

Deno.test("Batches return pushed items in order, until they end", async () => {
  const batches = new Batches<number>();
  batches.push(1, 2);
  const read: number[][] = [];
  const reading = (async () => {
    for await (const batch of batches) read.push(batch);
  })();
  await new Promise((resolve) => setTimeout(resolve));
  batches.push(3);
  batches.push(4);
  batches.end();
  await reading;
  assert.deepEqual(read.flat(), [1, 2, 3, 4]);
  assert.deepEqual(read[0], [1, 2]);
});

Deno.test("Batches fail for a reader that is too far behind", async () => {
  const batches = new Batches<number>(2);
  for (let n = 0; n < 10; n++) batches.push(n);
  await assert.rejects(Array.fromAsync(batches), TooFarBehindError);
});
