import assert from "node:assert/strict";
import { BuildTalkError, readEvents } from "./read_events.ts";

function streamOf(...chunks: readonly string[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return ReadableStream.from(chunks.map((chunk) => encoder.encode(chunk)));
}

const SAY = '{"type":"say","level":"info","message":"hé"}\n';

Deno.test("readEvents() joins lines that arrive in pieces", async () => {
  const whole = SAY + '{"type":"output_end","stream":1}\n';
  const events = await Array.fromAsync(readEvents(streamOf(...whole)));
  assert.deepEqual(events.map(({ type }) => type), ["say", "output_end"]);
  const at = await Array.fromAsync(readEvents(streamOf(whole)));
  assert.equal(at.length, 2);
});

Deno.test("readEvents() skips text without a trailing newline", async () => {
  assert.equal((await Array.fromAsync(readEvents(streamOf(SAY, '{"type":')))).length, 1);
});

for (const line of ["garbage", "{}", '{"type":"nonsense"}', '{"type":"say","level":"x"}', "null"]) {
  Deno.test(`readEvents() refuses the line ${line}`, async () => {
    await assert.rejects(Array.fromAsync(readEvents(streamOf(SAY, `${line}\n`))), BuildTalkError);
  });
}

Deno.test("readEvents() does not buffer an endless line", async () => {
  const chunk = new Uint8Array(8 * 1024 * 1024).fill(120);
  const endless = ReadableStream.from((function* () {
    while (true) yield chunk;
  })());
  await assert.rejects(Array.fromAsync(readEvents(endless)), /too long/);
});
