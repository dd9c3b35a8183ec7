import assert from "node:assert/strict";
import { openFront } from "./front.ts";

const open = () =>
  openFront({
    hostname: "127.0.0.1",
    port: 0,
    onError(error) {
      throw error;
    },
  });

for (const [name, text] of [["short", "whole"], ["long", "long".repeat(1_000_000)]] as const) {
  Deno.test(`openFront() lets a ${name} response finish when it closes`, async () => {
    const front = open();
    const [begun, answer] = [Promise.withResolvers<void>(), Promise.withResolvers<Response>()];
    front.answer(() => {
      begun.resolve();
      return answer.promise;
    });
    const asked = fetch(`http://127.0.0.1:${front.port}/`).then((response) => response.text());
    await begun.promise;
    const closed = front.close();
    answer.resolve(new Response(text));
    assert.ok(await asked === text);
    await closed;
  });
}

Deno.test("openFront() closes connections that do not end, and frees its port", async () => {
  const front = open();
  front.answer(() =>
    new Response(
      new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode("begun")) }),
    )
  );
  const { body } = await fetch(`http://127.0.0.1:${front.port}/`);
  const reader = body!.getReader();
  assert.equal(new TextDecoder().decode((await reader.read()).value), "begun");
  await front.close();
  await assert.rejects(reader.read());
  Deno.listen({ hostname: "127.0.0.1", port: front.port }).close();
});

Deno.test("openFront() forwards a body only if the client sends one", async () => {
  const front = open();
  front.answer(async (request) => Response.json([request.body === null, await request.text()]));
  const send = async (method: string, body?: string) => {
    const init = { method, ...(body === undefined ? {} : { body }) };
    return await (await fetch(`http://127.0.0.1:${front.port}/`, init)).json();
  };
  assert.deepEqual(await send("DELETE"), [true, ""]);
  assert.deepEqual(await send("OPTIONS"), [true, ""]);
  assert.deepEqual(await send("POST", "text"), [false, "text"]);
  await front.close();
});
