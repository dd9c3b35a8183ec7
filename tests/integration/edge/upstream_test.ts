/** Tests the edge's connections to upstreams, with time limits and incomplete bodies. */
import assert from "node:assert/strict";
import { openMachinery, proxyTo, publish, rule } from "../../helpers/upstreams.ts";
import { createProject } from "../../helpers/platform.ts";

const HOST = "shop.localhost";
const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("connections to another site are reused, but never by two requests at once", async (t) => {
  await using machinery = await openMachinery();
  const { platform } = machinery;
  let connections = 0;
  let requests = 0;
  let arrived = 0;
  let all = Promise.withResolvers<void>();
  const upstream = machinery.listen(async (conn) => {
    connections++;
    const buffer = new Uint8Array(65_536);
    for (;;) {
      const count = await conn.read(buffer);
      if (count === null) return;
      requests++;
      const text = new TextDecoder().decode(buffer.subarray(0, count));
      assert.equal(text.split("\r\n\r\n").length, 2, "one request at a time");
      if (text.startsWith("GET /together")) {
        if (++arrived === 5) all.resolve();
        await all.promise;
      }
      const close = text.startsWith("GET /close") ? "connection: close\r\n" : "";
      await conn.write(encode(`HTTP/1.1 200 OK\r\n${close}content-length: 2\r\n\r\nok`));
      if (close !== "") return;
    }
  });
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    functions: {
      ask:
        `export default async () => new Response(await (await fetch("${upstream.url}/f")).text())`,
    },
    rules: [
      proxyTo(upstream.url),
      rule("ask", { type: "pipeline", steps: [{ handle: "ask" }] }, "/ask"),
    ],
  });
  const get = async (path: string) => {
    const answer = await platform.get(HOST, path);
    assert.deepEqual([answer.status, answer.text], [200, "ok"]);
  };

  await t.step("20 sequential requests use one connection", async () => {
    for (let index = 0; index < 20; index++) await get(`/up/${index}`);
    assert.deepEqual([connections, requests], [1, 20]);
  });
  await t.step(
    "functions have their own connections because they can reach hosts that rules cannot",
    async () => {
      for (let round = 0; round < 2; round++) await get("/ask");
      assert.deepEqual([connections, requests], [2, 22]);
    },
  );
  await t.step(
    "five simultaneous requests open five connections, which serve the next five",
    async () => {
      for (let round = 0; round < 2; round++) {
        await Promise.all(Array.from({ length: 5 }, () => get("/up/together")));
        arrived = 0;
        all = Promise.withResolvers();
      }
      assert.equal(connections, 6);
    },
  );
  await t.step("a connection that the other site closes is not reused", async () => {
    await get("/up/close");
    await get("/up/after");
    assert.equal(requests, 34);
    assert.equal(connections, 6, "one of the four open connections is reused");
  });
});

Deno.test("an upstream that is too slow causes a 504 without details", async (t) => {
  await using machinery = await openMachinery({ upstreamTimes: { connectMs: 2000, idleMs: 1000 } });
  const { platform } = machinery;
  const mute = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const held: Deno.Conn[] = [];
  (async () => {
    for await (const conn of mute) held.push(conn);
  })().catch(() => {});
  const answers = (text: string) =>
    machinery.listen(async (conn) => {
      await conn.read(new Uint8Array(4096));
      await conn.write(encode(text));
      await conn.read(new Uint8Array(1));
    });
  const silent = machinery.listen(async (conn) => {
    while (await conn.read(new Uint8Array(4096)) !== null);
  });
  const half = answers("HTTP/1.1 200 OK\r\nx-upstream: SECRET-UPSTREAM\r\n");
  const stalled = answers("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello");
  await createProject(platform, "shop");
  await publish(platform, "shop", {
    rules: [
      proxyTo(`https://localhost:${(mute.addr as Deno.NetAddr).port}`, "/connect/"),
      proxyTo(silent.url, "/silent/"),
      proxyTo(half.url, "/half/"),
      proxyTo(stalled.url, "/stalled/"),
    ],
  });

  for (
    const [path, code] of [
      ["/connect/", "connect_timeout"],
      ["/silent/", "idle_timeout"],
      ["/half/", "idle_timeout"],
    ] as const
  ) {
    await t.step(`${path}: ${code}`, async () => {
      const answer = await platform.get(HOST, path);
      assert.equal(answer.status, 504);
      assert.ok(answer.text.includes(String(answer.headers["x-svc-request-id"])));
      assert.doesNotMatch(answer.text + JSON.stringify(answer.headers), /SECRET|localhost:|127\.0/);
      const { items } = (await platform.api("GET", "/v1/projects/shop/logs?limit=1")).json;
      assert.match(items[0].error, new RegExp(`^Cannot reach localhost:\\d+: ${code}$`));
    });
  }
  await t.step("a body that stalls is cut off rather than ended", async () => {
    await assert.rejects(platform.get(HOST, "/stalled/"), /aborted|reset|closed|hang up/i);
  });
  await t.step("upstream failures are not logged for the operator", () => {
    assert.deepEqual(platform.logged.filter((line) => line.startsWith("error")), []);
  });
  mute.close();
  for (const conn of held) conn.close();
});
