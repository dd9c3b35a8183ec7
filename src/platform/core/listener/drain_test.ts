/** Tests what happens to connections and requests when an acceptor stops. */
import assert from "node:assert/strict";
import { once } from "node:events";
import http2 from "node:http2";
import { setTimeout as delay } from "node:timers/promises";
import { until } from "../../../lib/_test_until.ts";
import { GET, openClient as open, serverOf, testAcceptor } from "./_test_acceptor.ts";

Deno.test("ConnectionAcceptor.drain() completes responses, and ends idle connections", async () => {
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

/**
 * Sends a request at the moment when the server stops, so the server has not read the request yet.
 */
const sendAtEnd: readonly (readonly [
  on: string,
  prepare: (client: Deno.Conn) => Promise<unknown>,
])[] = [
  ["a connection that is not accepted yet", () => Promise.resolve()],
  ["a new connection", () => delay(20)],
  ["a kept-alive connection", async (client) => {
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
  Deno.test(`requests on ${on} get a response when the server stops`, async () => {
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

Deno.test("a new connection can still send its first request while the acceptor drains", async () => {
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

Deno.test("an idle kept-alive connection ends without a reset", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const server = serverOf(listener, {});
  using client = await open(server.port, GET);
  assert.match(await readSome(client.conn), /hello$/);
  const closing = server.close();
  assert.equal(await client.conn.read(new Uint8Array(1)), null);
  await closing;
});

Deno.test("clients can disconnect while the acceptor drains", async () => {
  for (let round = 0; round < 8; round++) {
    const { acceptor, serve } = testAcceptor({ groupOf: () => undefined });
    const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    const closed = new AbortController();
    const served = serve(listener, closed.signal);
    const { port } = listener.addr;
    const clients = await Promise.all(Array.from({ length: 200 }, () => open(port, GET)));
    await Promise.all(clients.map(({ conn }) => readSome(conn)));
    closed.abort();
    listener.close();
    for (const { conn } of clients) conn.close();
    for (let turn = 0; turn < round % 4; turn++) await delay(0);
    // The runtime used to panic here and crash the process (docs/decisions/runtime.md).
    await acceptor.drain(1000);
    await served;
    assert.equal(acceptor.size, 0);
  }
});

Deno.test("clients that keep sending requests are told of the drain in a response", async () => {
  const { acceptor, serve } = testAcceptor({ groupOf: () => undefined });
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closed = new AbortController();
  const served = serve(listener, closed.signal);
  const { port } = listener.addr;
  const clients = await Promise.all(Array.from({ length: 100 }, () => open(port)));
  const lastResponses = Promise.all(clients.map(async ({ conn }) => {
    for (;;) {
      await conn.write(new TextEncoder().encode(GET));
      const response = await readSome(conn);
      if (!response.endsWith("hello") || response.includes("connection: close")) return response;
    }
  }));
  await delay(50);
  closed.abort();
  listener.close();
  const draining = acceptor.drain(60_000);
  for (const response of await lastResponses) assert.match(response, /connection: close.*hello$/s);
  for (const { conn } of clients) conn.close();
  await draining;
  await served;
});

Deno.test("HTTP/2 connections finish their requests, and end when they are idle", async () => {
  const { acceptor, serve } = testAcceptor({
    groupOf: () => undefined,
    handler: async () => {
      await delay(20);
      return new Response("hello");
    },
  });
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const closed = new AbortController();
  const served = serve(listener, closed.signal);
  const client = http2.connect(`http://127.0.0.1:${listener.addr.port}`);
  const ended = once(client, "close");
  const get = async (): Promise<string> => {
    const stream = client.request({ ":path": "/" });
    return (await Array.fromAsync(stream.setEncoding("utf8"))).join("");
  };
  assert.equal(await get(), "hello");
  const draining = (async () => {
    closed.abort();
    listener.close();
    await acceptor.drain(60_000);
  })();
  // Most of these requests start after the drain has begun.
  for (let round = 0; round < 5; round++) {
    const bodies = await Promise.all(Array.from({ length: 50 }, get));
    assert.deepEqual(new Set(bodies), new Set(["hello"]));
  }
  await Promise.all([draining, served, ended]);
});
