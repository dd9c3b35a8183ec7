import assert from "node:assert/strict";
import { eventStream } from "./event_stream.ts";

const heartbeatMs = 1;
const closing = new AbortController().signal;

/** Opens a stream and skips its first comment. */
async function open(recheck: () => Promise<unknown>, end: () => void = () => {}) {
  const response = eventStream(() => end, { closing, recheck, heartbeatMs });
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
  assert.equal((await reader.read()).value, ": open\n\n");
  return reader;
}

Deno.test("eventStream() ends once the reader may no longer read", async () => {
  let isAllowed = true;
  const ended = Promise.withResolvers<void>();
  const recheck = () => isAllowed ? Promise.resolve() : Promise.reject(new Error("revoked"));
  const reader = await open(recheck, ended.resolve);
  assert.equal((await reader.read()).value, ": heartbeat\n\n");
  isAllowed = false;
  for (;;) if ((await reader.read()).done) break;
  await ended.promise;
});

Deno.test("eventStream() ignores a check that ends after the reader has left", async () => {
  const checked = Promise.withResolvers<void>();
  const begun = Promise.withResolvers<void>();
  const reader = await open(() => {
    begun.resolve();
    return checked.promise;
  });
  await begun.promise;
  await reader.cancel();
  checked.reject(new Error("revoked"));
  await checked.promise.catch(() => {});
});
