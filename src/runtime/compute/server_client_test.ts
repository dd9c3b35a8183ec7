import assert from "node:assert/strict";
import { forwardedHeaders, ServerClient } from "./server_client.ts";

Deno.test("forwardedHeaders() drops hop-by-hop fields, and identifies the request", () => {
  const headers = forwardedHeaders({
    method: "POST",
    target: "/",
    headers: [
      ["Host", "app.example"],
      ["Connection", "keep-alive, X-Hop"],
      ["X-Hop", "1"],
      ["Transfer-Encoding", "chunked"],
      ["Content-Length", "5"],
      ["Expect", "100-continue"],
      ["X-Svc-Request-Id", "forged"],
      ["Accept", "*/*"],
    ],
    requestId: "req_1",
  });
  assert.deepEqual(headers, [
    ["Host", "app.example"],
    ["Accept", "*/*"],
    ["x-svc-request-id", "req_1"],
  ]);
});

/**
 * Starts a server that responds to the first request on a connection immediately, and disconnects
 * on the second.
 */
function impatientServer() {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  let accepted = 0;
  const serve = async (conn: Deno.Conn) => {
    const bytes = new Uint8Array(1024);
    await conn.read(bytes);
    await conn.write(new TextEncoder().encode("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"));
    // The body of the first request may arrive separately from its headers.
    for (let text = ""; !text.includes(" HTTP/1.1\r\n");) {
      const count = await conn.read(bytes);
      if (count === null) break;
      text += new TextDecoder().decode(bytes.subarray(0, count));
    }
    conn.close();
  };
  const running = (async () => {
    for await (const conn of listener) {
      accepted++;
      serve(conn).catch(() => {});
    }
  })();
  return {
    dial: () => Deno.connect({ hostname: "127.0.0.1", port: (listener.addr as Deno.NetAddr).port }),
    accepted: () => accepted,
    async close() {
      listener.close();
      await running;
    },
  };
}

Deno.test("ServerClient does not reuse a connection whose request body might be unread", async () => {
  const server = impatientServer();
  const client = new ServerClient(server.dial);
  for (let round = 0; round < 3; round++) {
    const answer = await client.send({
      method: "POST",
      target: "/",
      headers: [["host", "app.example"]],
      requestId: `req_${round}`,
      body: new Response("hello").body,
    }, { timeoutMs: 5000, over: () => {} });
    assert.equal(answer.head.status, 200);
    if (answer.body instanceof ReadableStream) await new Response(answer.body).text();
  }
  assert.equal(server.accepted(), 3);
  client.close();
  await server.close();
});

Deno.test("ServerClient resends a repeatable body after its connection is lost", async () => {
  const server = impatientServer();
  const client = new ServerClient(server.dial);
  const send = (body: Uint8Array<ArrayBuffer> | null) =>
    client.send(
      { method: "POST", target: "/", headers: [], requestId: "req_1", body },
      { timeoutMs: 5000, over: () => {} },
    );
  for (let round = 0; round < 2; round++) {
    assert.equal((await send(new TextEncoder().encode("hello"))).head.status, 200);
  }
  assert.equal(server.accepted(), 2);
  assert.equal((await send(null)).head.status, 200);
  assert.equal(server.accepted(), 3, "other requests never get such a connection");
  client.close();
  await server.close();
});

Deno.test("ServerClient ends a request whose caller disconnected when the response started", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const answering = (async () => {
    for await (const conn of listener) {
      await conn.read(new Uint8Array(1024));
      const part = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n";
      await conn.write(new TextEncoder().encode(part));
      await conn.read(new Uint8Array(1));
      conn.close();
    }
  })();
  const client = new ServerClient(() =>
    Deno.connect({ hostname: "127.0.0.1", port: (listener.addr as Deno.NetAddr).port })
  );
  let ended = 0;
  const request = {
    method: "GET",
    target: "/",
    headers: [],
    requestId: "req_1",
    body: null,
    signal: () => AbortSignal.abort(),
  };
  await assert.rejects(client.send(request, { timeoutMs: 5000, over: () => ended++ }), {
    code: "aborted",
  });
  assert.equal(ended, 1);
  client.close();
  listener.close();
  await answering;
});
