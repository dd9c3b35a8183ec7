/** Tests responses to requests whose bodies are not fully read. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { openClient, serverOf } from "./_test_acceptor.ts";
import type { ConnectionHandler } from "./types.ts";

const BODY_BYTES = 5_000_000;
const HEAD = `PUT / HTTP/1.1\r\nhost: a.test\r\ncontent-length: ${BODY_BYTES}\r\n\r\n`;

const HANDLERS: readonly [name: string, handler: ConnectionHandler][] = [
  ["does not read the body", () => new Response("too large", { status: 413 })],
  ["reads part of the body", async ({ body }) => {
    const reader = body!.getReader();
    await reader.read();
    await reader.cancel();
    return new Response("too large", { status: 413 });
  }],
];

for (const [name, handler] of HANDLERS) {
  Deno.test(`a client that is still sending gets the response from a handler that ${name}`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const server = serverOf(listener, { handler });
    using client = await openClient(server.port, HEAD);
    const piece = new Uint8Array(100_000);
    for (let sent = 0; sent < BODY_BYTES;) {
      sent += await client.conn.write(piece);
      await delay(1);
    }
    await client.conn.closeWrite();
    assert.match(await client.untilEnd(), /^HTTP\/1\.1 413 [^]*too large$/);
    await server.close();
  });
}

Deno.test("a streamed response can read the body after its headers are sent", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = serverOf(listener, { handler: ({ body }) => new Response(body) });
  const head = "POST / HTTP/1.1\r\nhost: a.test\r\nconnection: close\r\ncontent-length: 5\r\n\r\n";
  using client = await openClient(server.port, `${head}hello`);
  assert.match(await client.untilEnd(), /^HTTP\/1\.1 200 [^]*hello/);
  await server.close();
});
