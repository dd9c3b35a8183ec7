import assert from "node:assert/strict";
import { fetchChunks } from "./fetch_bytes.ts";

Deno.test("fetchChunks() leaves a body that stalls when the program stops", async () => {
  const stop = new AbortController();
  const stalled = new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(10)) });
  const source = {
    fetch: () => Promise.resolve(new Response(stalled)),
    signal: stop.signal,
  };
  const reading = (async () => {
    for await (const _ of fetchChunks("https://releases.test/svc", source)) {
      setTimeout(() => stop.abort(new Error("stopped")));
    }
  })();
  await assert.rejects(reading, /^Error: stopped$/);
});
