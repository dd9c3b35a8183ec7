/** Connections and requests when an acceptor stops. */
import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../../lib/_test_until.ts";
import { GET, openClient as open, serverOf } from "./_test_acceptor.ts";

Deno.test("ConnectionAcceptor.drain() lets answers be finished, and new connections end", async () => {
  const arrived = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const handler = async () => {
    arrived.resolve();
    await release.promise;
    return new Response("finished");
  };
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = serverOf(listener, { handler });
  using busy = await open(server.port, GET);
  using idle = await open(server.port);
  await arrived.promise;
  const closing = server.close();
  assert.equal(await idle.untilEnd(), "");
  release.resolve();
  assert.match(await busy.untilEnd(), /finished$/);
  await closing;
});

/** Sends a request just when the server stops, so that nothing has read it before. */
const sendAtEnd: readonly (readonly [
  on: string,
  prepare: (client: Deno.Conn) => Promise<unknown>,
])[] = [
  ["a connection that is not accepted yet", () => Promise.resolve()],
  ["a new connection", () => delay(20)],
  ["a connection that is kept", async (client) => {
    await client.write(new TextEncoder().encode(GET));
    assert.match(await readSome(client), /hello$/);
    await delay(20);
  }],
];

async function readSome(client: Deno.Conn): Promise<string> {
  const buffer = new Uint8Array(4096);
  const decoder = new TextDecoder();
  let all = "";
  while (!all.endsWith("hello")) {
    const count = await client.read(buffer);
    if (count === null) break;
    all += decoder.decode(buffer.subarray(0, count), { stream: true });
  }
  return all;
}

for (const [on, prepare] of sendAtEnd) {
  Deno.test(`what had arrived on ${on} is answered when it stops`, async () => {
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const server = serverOf(listener, {});
    using client = await open(server.port);
    await prepare(client.conn);
    const sent = client.conn.write(new TextEncoder().encode(GET));
    const closing = server.close();
    assert.match(await client.untilEnd(), /^HTTP\/1\.1 200 OK\r\n.*connection: close.*hello$/s);
    await Promise.all([sent, closing]);
  });
}

Deno.test("a new connection may still send its first request while the acceptor drains", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = serverOf(listener, {});
  using client = await open(server.port);
  await until(() => server.acceptor.size === 1);
  const closing = server.close();
  await delay(100);
  await client.conn.write(new TextEncoder().encode(GET));
  assert.match(await client.untilEnd(), /connection: close.*hello$/s);
  await closing;
});

Deno.test("a kept connection without a request ends without a reset", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = serverOf(listener, {});
  using client = await open(server.port, GET);
  assert.match(await readSome(client.conn), /hello$/);
  const closing = server.close();
  assert.equal(await client.conn.read(new Uint8Array(1)), null);
  await closing;
});
