import assert from "node:assert/strict";
import { fetchByHost } from "./_fetch_by_host.ts";

Deno.test("fetchByHost() sends host and path as given and returns the response's bytes", async () => {
  const seen: string[] = [];
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, (request) => {
    seen.push(request.headers.get("host") ?? "", new URL(request.url).pathname);
    return new Response(new Uint8Array([0, 255, 10]), { status: 404, headers: { "x-a": "b" } });
  });
  const { port } = server.addr;
  const answer = await fetchByHost({ port, host: "plain.localhost", path: "/a/%2e%2e/b" });
  assert.deepEqual(seen[0], `plain.localhost:${port}`);
  assert.equal(answer.status, 404);
  assert.equal(answer.headers["x-a"], "b");
  assert.deepEqual([...answer.body], [0, 255, 10]);
});

for (
  const sent of [
    "",
    "HTTP/1.1 200 OK\r\nContent-Le",
    "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc",
  ]
) {
  Deno.test(`fetchByHost() fails if a response ends after ${JSON.stringify(sent)}`, async () => {
    using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
    void (async () => {
      const conn = await listener.accept();
      await conn.read(new Uint8Array(1024));
      await conn.write(new TextEncoder().encode(sent));
      conn.close();
    })();
    await assert.rejects(
      fetchByHost({ port: listener.addr.port, host: "plain.localhost", path: "/" }),
      /The connection closed early/,
    );
  });
}
