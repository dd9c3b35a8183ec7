import assert from "node:assert/strict";
import { runCollected } from "./_test_collected.ts";
import { readUntilAborted } from "./read_until_aborted.ts";

/** Returns a stream that gives two chunks and then nothing, and the reasons it is cancelled for. */
function stalled() {
  const reasons: unknown[] = [];
  const stream = new ReadableStream<string>({
    start(controller) {
      controller.enqueue("one");
      controller.enqueue("two");
    },
    cancel: (reason) => void reasons.push(reason),
  });
  return { stream, reasons };
}

Deno.test("readUntilAborted() yields chunks until the signal is aborted", async () => {
  const { stream, reasons } = stalled();
  const stop = new AbortController();
  const seen: string[] = [];
  const reason = new Error("stopped");
  const reading = (async () => {
    for await (const chunk of readUntilAborted(stream, stop.signal)) seen.push(chunk);
  })();
  setTimeout(() => stop.abort(reason));
  await assert.rejects(reading, reason);
  assert.deepEqual(seen, ["one", "two"]);
  assert.deepEqual(reasons, [reason]);
});

Deno.test("readUntilAborted() cancels the stream when the caller stops", async () => {
  const { stream, reasons } = stalled();
  for await (const _ of readUntilAborted(stream, new AbortController().signal)) break;
  assert.deepEqual(reasons, [undefined]);
});

Deno.test("readUntilAborted() reads nothing if the signal is already aborted", async () => {
  const { stream, reasons } = stalled();
  const reading = Array.fromAsync(readUntilAborted(stream, AbortSignal.abort()));
  await assert.rejects(reading, { name: "AbortError" });
  assert.deepEqual(reasons, [undefined]);
});

/** Reads a body that stalls, in a function that does not hold the response. */
const STALLED_BODY = `
import { readUntilAborted } from "${import.meta.resolve("./read_until_aborted.ts")}";

const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, () =>
  new Response(new ReadableStream({ start: (body) => body.enqueue(new Uint8Array(10)) })));
const stop = new AbortController();
const signal = AbortSignal.any([stop.signal, new AbortController().signal]);

async function open() {
  const { body } = await fetch("http://127.0.0.1:" + server.addr.port, { signal });
  return readUntilAborted(body, signal);
}

try {
  for await (const chunk of await open()) setTimeout(() => stop.abort("stopped"), 100);
} catch (error) {
  console.log(error);
}
Deno.exit();
`;

Deno.test("readUntilAborted() ends a body whose response is garbage", async () => {
  assert.equal(await runCollected(STALLED_BODY), "stopped\n");
});
