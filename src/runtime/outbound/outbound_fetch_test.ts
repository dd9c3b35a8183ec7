import assert from "node:assert/strict";
import type { OutboundErrorCode } from "../http1/errors.ts";
import { codeOf, text, withOutbound } from "./_test_outbound.ts";
import { type RawServer, serveRaw } from "./_test_servers.ts";
import { createOutboundFetch } from "./outbound_fetch.ts";
import { testTimers } from "../http1/_test_timers.ts";
import { until } from "../../lib/_test_until.ts";
import { stopServer } from "../../lib/stop_server.ts";

const MALFORMED: readonly (readonly [string, string])[] = [
  ["two lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde"],
  ["two equal lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"],
  ["a list of lengths", "HTTP/1.1 200 OK\r\nContent-Length: 3, 3\r\n\r\nabc"],
  ["a signed length", "HTTP/1.1 200 OK\r\nContent-Length: +3\r\n\r\nabc"],
  [
    "a length and a transfer coding",
    "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
  ],
  ["an unknown transfer coding", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc"],
  ["two codings", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"],
  [
    "a transfer coding in HTTP/1.0",
    "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  ],
  ["a folded header", "HTTP/1.1 200 OK\r\nX-A: a\r\n b\r\nContent-Length: 0\r\n\r\n"],
  ["a space before the colon", "HTTP/1.1 200 OK\r\nContent-Length : 3\r\n\r\nabc"],
  ["a bare line feed", "HTTP/1.1 200 OK\r\nX-A: a\nX-B: b\r\nContent-Length: 0\r\n\r\n"],
  ["a bare carriage return", "HTTP/1.1 200 OK\r\nX-A: a\rX-B: b\r\nContent-Length: 0\r\n\r\n"],
  ["a NUL", "HTTP/1.1 200 OK\r\nX-A: a\0b\r\nContent-Length: 0\r\n\r\n"],
  ["no status line", "hello\r\n\r\n"],
  ["HTTP/2 in the status line", "HTTP/2 200 OK\r\n\r\n"],
  ["an unrequested switch of protocols", "HTTP/1.1 101 Switching\r\nUpgrade: x\r\n\r\n"],
];

for (const [name, answer] of MALFORMED) {
  Deno.test(`outbound fetch refuses a response with ${name}`, async () => {
    using server = serveRaw(answer);
    await withOutbound({}, async (send) => {
      const code = await codeOf(send({ url: `http://site.test:${server.port}/` }));
      assert.equal(code, "bad_response");
    });
  });
}

const BROKEN_BODIES: readonly (readonly [string, OutboundErrorCode, string])[] = [
  ["is truncated", "reset", "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"],
  ["ends within a chunk", "reset", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"],
  [
    "has a chunk longer than its declared size",
    "bad_response",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabcd\r\n0\r\n\r\n",
  ],
  [
    "has a chunk without a size",
    "bad_response",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
  ],
];

for (const [name, code, answer] of BROKEN_BODIES) {
  Deno.test(`outbound fetch fails for a body that ${name}`, async () => {
    using server = serveRaw(answer, null);
    await withOutbound({}, async (send) => {
      const response = await send({ url: `http://site.test:${server.port}/` });
      assert.equal(await codeOf(text(response)), code);
    });
  });
}

Deno.test("outbound fetch does not reuse a connection that received bytes without a request", async () => {
  using server = serveRaw(
    "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nokHTTP/1.1 200 OK\r\n\r\nEVIL",
  );
  await withOutbound({}, async (send) => {
    const url = `http://site.test:${server.port}/`;
    assert.equal(await text(await send({ url })), "ok");
    assert.equal(await text(await send({ url })), "ok");
    assert.equal(server.connections(), 2);
  });
});

/** Opens a connection that fails on its second request without warning. */
async function dialStale(to: { readonly port: number }): Promise<Deno.TcpConn> {
  const conn = await Deno.connect({ hostname: "127.0.0.1", port: to.port });
  const write = conn.write.bind(conn);
  let writes = 0;
  conn.write = (bytes) =>
    ++writes === 2 ? Promise.reject(new Deno.errors.BrokenPipe("gone")) : write(bytes);
  return conn;
}

Deno.test("outbound fetch retries only idempotent requests after a stale connection", async () => {
  using server = serveRaw("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na");
  const url = `http://site.test:${server.port}/`;
  await withOutbound({ dial: dialStale }, async (send) => {
    assert.equal(await text(await send({ url })), "a");
    assert.equal(await text(await send({ url })), "a");
    assert.equal(server.connections(), 2);
    assert.equal(await codeOf(send({ url, method: "POST" })), "reset");
    assert.equal(server.connections(), 2);
  });
});

Deno.test("outbound fetch reports which time limit was exceeded", async () => {
  using silent = serveRaw("");
  using slow = serveRaw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
  await withOutbound({ idleMs: 300 }, async (send) => {
    assert.equal(await codeOf(send({ url: `http://site.test:${silent.port}/` })), "idle_timeout");
    const response = await send({ url: `http://site.test:${slow.port}/` });
    assert.equal(await codeOf(text(response)), "idle_timeout");
  });
  const never = (): Promise<readonly string[]> => new Promise(() => {});
  await withOutbound({ connectMs: 20, resolveDns: never }, async (send) => {
    assert.equal(await codeOf(send({ url: "http://site.test/" })), "connect_timeout");
  });
});

Deno.test("outbound fetch fails when it is aborted", async () => {
  using silent = serveRaw("");
  await withOutbound({}, async (send) => {
    const abort = new AbortController();
    const work = codeOf(send({ url: `http://site.test:${silent.port}/`, signal: abort.signal }));
    await until(() => silent.received() !== "");
    abort.abort();
    assert.equal(await work, "aborted");
  });
});

Deno.test("outbound fetch drops hop-by-hop headers in both directions", async () => {
  using server = serveRaw(
    "HTTP/1.1 200 OK\r\nConnection: x-own\r\nX-Own: 1\r\nKeep-Alive: 5\r\nX-End: 2\r\nContent-Length: 0\r\n\r\n",
  );
  await withOutbound({}, async (send) => {
    const { headers } = await send({
      url: `http://site.test:${server.port}/a?b=c`,
      headers: [["Connection", "x-secret"], ["X-Secret", "1"], ["TE", "trailers"], ["X-Kept", "2"]],
    });
    assert.deepEqual(headers, [["X-End", "2"], ["Content-Length", "0"]]);
    const sent = server.received();
    assert.match(sent, /^GET \/a\?b=c HTTP\/1\.1\r\nhost: site\.test:\d+\r\nX-Kept: 2\r\n\r\n$/);
  });
});

Deno.test("outbound fetch refuses headers that contain a line break", async () => {
  using server = serveRaw("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  await withOutbound({}, async (send) => {
    const url = `http://site.test:${server.port}/`;
    for (
      const header of [["x", "a\r\nb: c"], ["x y", "a"], ["x:", "a"], ["x", "\u0100"]] as const
    ) {
      assert.equal(await codeOf(send({ url, headers: [header] })), "bad_request");
    }
    assert.equal(await codeOf(send({ url, method: "GET / HTTP/1.1\r\nx:" })), "bad_request");
    assert.equal(server.received(), "");
  });
});

Deno.test("outbound fetch streams bodies in both directions over one connection", async () => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request) => new Response(request.body),
  );
  await withOutbound({}, async (send) => {
    const url = `http://site.test:${server.addr.port}/`;
    for (const size of [0, 1, 70_000, 3_000_000]) {
      for (const headers of [[], [["content-length", String(size)]]] as [string, string][][]) {
        const body = new Response(new Uint8Array(size).fill(7)).body;
        const response = await send({ url, method: "POST", headers, body });
        const back = await new Response(response.body).bytes();
        assert.equal(back.byteLength, size);
        assert.ok(back.every((byte) => byte === 7));
      }
    }
  });
  await stopServer(server);
});

Deno.test("outbound fetch refuses a body that does not match its length", async () => {
  using server = serveRaw("");
  await withOutbound({}, async (send) => {
    const request = { url: `http://site.test:${server.port}/`, method: "POST" };
    const body = (): ReadableStream<Uint8Array> => new Response("abc").body!;
    assert.equal(
      await codeOf(send({ ...request, headers: [["content-length", "2"]], body: body() })),
      "bad_request",
    );
    assert.equal(
      await codeOf(send({ ...request, headers: [["content-length", "4"]], body: body() })),
      "bad_request",
    );
  });
});

Deno.test("outbound fetch keeps an idle connection only until its time limit", async () => {
  using server = serveRaw("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok");
  const timers = testTimers();
  const { fetch, close } = createOutboundFetch({ allowPrivate: true, keepAliveMs: 40, timers });
  const ask = async () => {
    const request = { method: "GET", headers: [], body: null };
    const answer = await fetch({ ...request, url: `http://127.0.0.1:${server.port}/` });
    return new TextDecoder().decode(answer.bytes);
  };
  assert.deepEqual([await ask(), await ask(), server.connections()], ["ok", "ok", 1]);
  timers.pass(39);
  assert.deepEqual([await ask(), server.connections()], ["ok", 1]);
  timers.pass(80);
  assert.deepEqual([await ask(), server.connections()], ["ok", 2]);
  close();
});

Deno.test("outbound fetch returns a short body that arrives early as bytes, and as a stream", async () => {
  const head = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\n";
  using whole = serveRaw(`${head}body`);
  using parts = serveRaw(`${head}bo`, "dy");
  const timers = testTimers();
  const { fetch, close } = createOutboundFetch({ allowPrivate: true, timers });
  const ask = ({ port }: RawServer, body: ReadableStream<Uint8Array> | null) =>
    fetch({
      method: "POST",
      url: `http://127.0.0.1:${port}/`,
      headers: [["content-length", "1"]],
      body,
    });
  const one = await ask(whole, null);
  assert.equal(new TextDecoder().decode(one.bytes), "body");
  assert.equal(await new Response(one.body).text(), "body");
  /** Creates a stream with a byte that is sent once a promise has resolved. */
  const after = (moment: Promise<unknown>) =>
    new ReadableStream<Uint8Array>({
      async start(controller) {
        await moment;
        controller.enqueue(new Uint8Array(1));
        controller.close();
      },
    });
  const sent = Promise.withResolvers<void>();
  let isAnswered = false;
  const late = ask(parts, after(sent.promise)).finally(() => isAnswered = true);
  await until(() => {
    timers.pass(5);
    return isAnswered;
  });
  const two = await late;
  assert.equal(two.bytes, undefined);
  sent.resolve();
  assert.equal(await new Response(two.body).text(), "body");
  using soon = serveRaw(`${head}bo`, "dy");
  const three = await ask(soon, after(until(() => soon.received() !== "")));
  assert.equal(new TextDecoder().decode(three.bytes), "body");
  using cut = serveRaw(`${head}bo`, null);
  const four = await ask(cut, null);
  assert.equal(four.bytes, undefined);
  await assert.rejects(new Response(four.body).text());
  close();
});
