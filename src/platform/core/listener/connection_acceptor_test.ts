import assert from "node:assert/strict";
import { makeKeyPair } from "../../../lib/_test_certificate.ts";
import { answerOf } from "../../../lib/whole_answer.ts";
import {
  GET,
  type GivenAcceptor,
  openClient as open,
  serverOf,
  type TestServer,
} from "./_test_acceptor.ts";

async function withAcceptor(
  given: GivenAcceptor,
  run: (opened: TestServer) => Promise<void>,
): Promise<void> {
  const server = serverOf(Deno.listen({ hostname: "127.0.0.1", port: 0 }), given);
  try {
    await run(server);
  } finally {
    await server.close();
  }
}

async function withTlsAcceptor(
  given: GivenAcceptor,
  run: (opened: TestServer) => Promise<void>,
): Promise<void> {
  const { cert, key } = await makeKeyPair("acceptor.test");
  const listener = Deno.listenTls({ hostname: "127.0.0.1", port: 0, cert, key });
  const server = serverOf(listener, given);
  try {
    await run(server);
  } finally {
    await server.close();
  }
}

const LAST_GET = "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";

Deno.test("ConnectionAcceptor closes connections that do not send their first headers", () =>
  withAcceptor({ bounds: { headMs: 1 } }, async ({ port }) => {
    using silent = await open(port);
    using slow = await open(port, "GET / HTTP/1.1\r\nHo");
    assert.equal(await silent.untilEnd(), "");
    assert.equal(await slow.untilEnd(), "");
  }));

Deno.test("ConnectionAcceptor closes connections that stay idle after a response", () =>
  withAcceptor({ bounds: { keepAliveMs: 1 } }, async ({ port }) => {
    using client = await open(port, GET);
    assert.match(await client.untilEnd(), /^HTTP\/1\.1 200 .*hello$/s);
  }));

Deno.test("ConnectionAcceptor closes connections that stay idle after an unchunked response", () => {
  const handler = () => answerOf("hello", 200);
  return withAcceptor({ handler, bounds: { keepAliveMs: 1 } }, async ({ port }) => {
    using client = await open(port, GET);
    assert.match(await client.untilEnd(), /^HTTP\/1\.1 200 .*hello$/s);
  });
});

Deno.test("ConnectionAcceptor does not count a received HTTP/1.1 response as abandoned", () => {
  const handler = () => answerOf("hello", 200);
  return withAcceptor({ handler }, async ({ port }) => {
    using client = await open(port);
    const [request, buffer] = [new TextEncoder().encode(GET), new Uint8Array(4096)];
    // The acceptor watches only a sample of the responses, so this loop includes some that are
    // watched.
    for (let asked = 0; asked < 1000; asked++) {
      await client.conn.write(request);
      for (let text = ""; !text.endsWith("hello");) {
        const count = await client.conn.read(buffer);
        assert.notEqual(count, null, `closed after ${asked} responses`);
        text += new TextDecoder().decode(buffer.subarray(0, count!));
      }
    }
  });
});

Deno.test("ConnectionAcceptor allows slow responses that arrive in parts", () => {
  const parts = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await parts.promise;
      controller.enqueue(new TextEncoder().encode("late"));
      controller.close();
    },
  });
  const handler = ({ url }: Request) =>
    url.endsWith("/parts") ? answerOf(body, 200) : answerOf("hello", 200);
  return withAcceptor({ handler, bounds: { keepAliveMs: 1 } }, async ({ port }) => {
    using slow = await open(port, GET.replace(" / ", " /parts "));
    using idle = await open(port, GET);
    assert.match(await idle.untilEnd(), /hello/);
    parts.resolve();
    assert.match(await slow.untilEnd(), /late/);
  });
});

Deno.test("ConnectionAcceptor cuts off a request whose body stalls", () => {
  const handler = async (request: Request) => new Response(await request.text());
  return withAcceptor({ handler, bounds: { bodyMs: 1 } }, async ({ port }) => {
    using client = await open(
      port,
      "POST / HTTP/1.1\r\nHost: a.test\r\nContent-Length: 9\r\n\r\nabc",
    );
    assert.doesNotMatch(await client.untilEnd(), /abc/);
  });
});

Deno.test("ConnectionAcceptor passes on complete bodies, and reuses the connection", () => {
  const handler = async (request: Request) => new Response(await request.text());
  return withAcceptor({ handler }, async ({ port }) => {
    const text = "0123456789".repeat(50_000);
    for (let round = 0; round < 2; round++) {
      const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body: text });
      assert.equal(await answer.text(), text);
    }
  });
});

Deno.test("ConnectionAcceptor closes connections and sockets if no TLS handshake arrives", () =>
  withTlsAcceptor({ bounds: { handshakeMs: 1 } }, async ({ port }) => {
    using silent = await open(port);
    using slow = await open(port, "\x16\x03\x01");
    assert.equal(await silent.untilEnd(), "");
    await slow.untilEnd();
  }));

Deno.test("ConnectionAcceptor refuses too many connections from one address, and serves others", async () => {
  const release = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  let requests = 0;
  const handler = async () => {
    if (++requests === 2) arrived.resolve();
    await release.promise;
    return new Response("late");
  };
  const warnings: string[] = [];
  const given = {
    handler,
    bounds: { maxPerAddress: 2 },
    onShortage: (message: string) => void warnings.push(message),
  };
  await withAcceptor(given, async ({ port }) => {
    using one = await open(port, LAST_GET);
    using two = await open(port, LAST_GET);
    await arrived.promise;
    using three = await open(port);
    assert.equal(await three.untilEnd(), "");
    release.resolve();
    for (const client of [one, two]) assert.match(await client.untilEnd(), /late$/);
  });
  assert.match(warnings.join(), /Refused a connection from 127\.0\.0\.1: .*per-address/);
});

Deno.test("ConnectionAcceptor closes idle connections if all slots are taken", () =>
  withAcceptor(
    { bounds: { maxConnections: 4, maxPerAddress: 100 } },
    async ({ port, acceptor }) => {
      const idle = [];
      for (let count = 0; count < 12; count++) idle.push(await open(port));
      using client = await open(port, LAST_GET);
      assert.match(await client.untilEnd(), /hello$/);
      assert.ok(acceptor.size <= 4);
      for (const { conn } of idle) conn.close();
    },
  ));

Deno.test("ConnectionAcceptor counts a WebSocket as long as it is open", () => {
  const closed = Promise.withResolvers<void>();
  return withAcceptor({
    bounds: { keepAliveMs: 1, maxPerAddress: 1 },
    handler: (request, connection) => {
      const { socket, response } = Deno.upgradeWebSocket(request);
      connection.hold(new Promise((resolve) => socket.addEventListener("close", resolve)));
      socket.addEventListener("message", ({ data }) => socket.send(data));
      socket.addEventListener("close", () => closed.resolve());
      return response;
    },
  }, async ({ port, acceptor }) => {
    const client = new WebSocket(`ws://127.0.0.1:${port}/`);
    await new Promise((resolve) => client.onopen = resolve);
    using other = await open(port);
    assert.equal(await other.untilEnd(), "");
    assert.equal(acceptor.size, 1);
    const echo = new Promise((resolve) => client.onmessage = ({ data }) => resolve(data));
    client.send("still here");
    assert.equal(await echo, "still here");
    const over = new Promise((resolve) => client.onclose = resolve);
    client.close();
    await Promise.all([over, closed.promise]);
  });
});

const heads: readonly (readonly [name: string, head: string, status: RegExp])[] = [
  ["no Host", "GET / HTTP/1.1\r\n", /^HTTP\/1\.1 400 /],
  ["an empty Host", "GET / HTTP/1.1\r\nHost:\r\n", /^HTTP\/1\.1 400 /],
  ["two Hosts", "GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n", /^HTTP\/1\.1 400 /],
  ["one Host", "GET / HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n", /^HTTP\/1\.1 200 /],
  // The runtime accepts at most 100 fields (docs/decisions/runtime.md).
  [
    "200 fields",
    `GET / HTTP/1.1\r\nHost: a.test\r\n${"x: 1\r\n".repeat(200)}`,
    /^HTTP\/1\.1 431 /,
  ],
  [
    "a field of 1 MB",
    `GET / HTTP/1.1\r\nHost: a.test\r\nx: ${"a".repeat(1_000_000)}\r\n`,
    /^HTTP\/1\.1 4[03][01] /,
  ],
];

for (const [name, head, status] of heads) {
  Deno.test(`ConnectionAcceptor checks a request with ${name}`, () =>
    withAcceptor({ bounds: { keepAliveMs: 1 } }, async ({ port }) => {
      using client = await open(port);
      const written = client.conn.write(new TextEncoder().encode(`${head}\r\n`)).catch(() => {});
      assert.match(await client.untilEnd(), status);
      await written;
    }));
}

Deno.test("ConnectionAcceptor passes on the listener's scheme, regardless of the request line", () =>
  withAcceptor({ handler: (_, { scheme }) => new Response(scheme) }, async ({ port }) => {
    const line = "GET https://a.test/ HTTP/1.1\r\nHost: a.test\r\nConnection: close\r\n\r\n";
    using client = await open(port, line);
    assert.match(await client.untilEnd(), /\r\nhttp$/);
  }));
