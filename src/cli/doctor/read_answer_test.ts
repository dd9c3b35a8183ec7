import assert from "node:assert/strict";
import { until } from "../../lib/_test_until.ts";
import { readAnswer } from "./read_answer.ts";

Deno.test("readAnswer() reads text in pieces, and nothing of an answer without end", async () => {
  const euro = new TextEncoder().encode("ready €\n");
  const pieces = [euro.subarray(0, 7), euro.subarray(7)];
  assert.equal(await readAnswer(new Response(ReadableStream.from(pieces))), "ready €\n");
  assert.equal(await readAnswer(new Response(null)), "");

  let hasEnded = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(4096)),
    cancel: () => void (hasEnded = true),
  });
  await using server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    () => new Response(endless),
  );
  const response = await fetch(`http://127.0.0.1:${server.addr.port}/readyz`);
  await assert.rejects(() => readAnswer(response), /larger than 65536 bytes/);
  await until(() => hasEnded);
});
