/**
 * WebSockets are counted separately from requests. Idle WebSockets must not delay requests, and a
 * WebSocket beyond the limit must be rejected immediately.
 */
import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import WebSocket from "ws";
import { computeServer, type TestServer, writeModules } from "../../helpers/compute_server.ts";
import { deployServer, SOCKET_SERVER, SOCKET_SITE } from "../../helpers/compute_site.ts";
import { createProject, type TestPlatform, withPlatform } from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";

type Opened =
  | { readonly type: "open"; readonly close: () => Promise<void> }
  | { readonly type: "refused"; readonly status: number; readonly retryAfter: string | undefined };

/**
 * Opens a WebSocket to a project's server. Returns the WebSocket, or the response if the server
 * rejects it.
 */
function open({ port }: TestPlatform, project: string): Promise<Opened> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/chat`, {
    headers: { host: `${project}.localhost` },
  });
  return new Promise((resolve, reject) => {
    const close = (): Promise<void> =>
      new Promise((closed) => {
        socket.once("close", () => closed());
        socket.close();
      });
    let refused = false;
    socket.once("open", () => resolve({ type: "open", close }));
    socket.once("unexpected-response", (request, response: IncomingMessage) => {
      refused = true;
      const { statusCode: status = 0, headers } = response;
      resolve({ type: "refused", status, retryAfter: headers["retry-after"] });
      request.destroy();
    });
    socket.on("error", (error) => refused || reject(error));
  });
}

type Connect = (target: string) => ReturnType<TestServer["server"]["connect"]>;

const REFUSED = { type: "refused", status: 503, retryAfter: "1" } as const;

async function mustOpen(platform: TestPlatform, project: string) {
  const opened = await open(platform, project);
  assert.equal(opened.type, "open", JSON.stringify(opened));
  if (opened.type !== "open") throw new Error("unreachable");
  return opened;
}

async function deploySockets(platform: TestPlatform, ...projects: readonly string[]) {
  for (const project of projects) {
    await createProject(platform, project);
    await deployServer(platform, project, SOCKET_SITE);
  }
}

Deno.test("idle WebSockets do not block pages, even if they exceed the request limit", () =>
  withPlatform(async (platform) => {
    await deploySockets(platform, "shop");
    const sockets = await Promise.all(
      Array.from({ length: 220 }, () => mustOpen(platform, "shop")),
    );
    const page = await platform.get("shop.localhost", "/");
    assert.deepEqual([page.status, page.text], [200, "no socket"]);
    await Promise.all(sockets.map(({ close }) => close()));
  }));

Deno.test("a server refuses a WebSocket beyond the limit with 503, and accepts it once another closes", () =>
  withPlatform(async (platform) => {
    await deploySockets(platform, "shop");
    const [first, ...others] = await Promise.all(
      Array.from({ length: 3 }, () => mustOpen(platform, "shop")),
    );
    assert.deepEqual(await open(platform, "shop"), REFUSED);
    assert.equal((await platform.get("shop.localhost", "/")).text, "no socket");
    await first!.close();
    // The edge counts a WebSocket as closed once the server has confirmed the close.
    let next: Opened = REFUSED;
    await until(async () => (next = await open(platform, "shop")).type === "open");
    assert.deepEqual(await open(platform, "shop"), REFUSED);
    for (const socket of [...others, next]) if (socket.type === "open") await socket.close();
  }, { serverSockets: { perServer: 3, total: 100 } }));

Deno.test("clients that leave during the handshake, or without a close frame, release their slots", () =>
  withPlatform(async (platform) => {
    await deploySockets(platform, "shop");
    const handshake = new TextEncoder().encode(
      "GET /chat HTTP/1.1\r\nhost: shop.localhost\r\nconnection: Upgrade\r\n" +
        "upgrade: websocket\r\nsec-websocket-version: 13\r\n" +
        "sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
    );
    for (let round = 0; round < 30; round++) {
      const client = await Deno.connect({ hostname: "127.0.0.1", port: platform.port });
      await client.write(handshake);
      // Every third WebSocket waits for a response first.
      if (round % 3 === 0) await client.read(new Uint8Array(1024));
      client.close();
    }
    const opened: Opened[] = [];
    await until(async () => {
      opened.push(await open(platform, "shop"));
      return opened.filter(({ type }) => type === "open").length === 3;
    });
    for (const socket of opened) if (socket.type === "open") await socket.close();
  }, { serverSockets: { perServer: 3, total: 100 } }));

Deno.test("all servers share a limit for WebSockets, and requests succeed even beyond it", () =>
  withPlatform(async (platform) => {
    await deploySockets(platform, "one", "two");
    const sockets = [await mustOpen(platform, "one"), await mustOpen(platform, "two")];
    assert.deepEqual(await open(platform, "one"), REFUSED);
    assert.deepEqual(await open(platform, "two"), REFUSED);
    for (const project of ["one", "two"]) {
      assert.equal((await platform.get(`${project}.localhost`, "/")).text, "no socket");
    }
    await sockets[0]!.close();
    let next: Opened = REFUSED;
    await until(async () => (next = await open(platform, "two")).type === "open");
    for (const socket of [sockets[1]!, next]) if (socket.type === "open") await socket.close();
  }, { serverSockets: { perServer: 5, total: 2 } }));

/**
 * Starts a server that handles one request and one WebSocket at a time, and opens WebSockets to it.
 */
async function withSmallServer(
  run: (test: TestServer, connect: Connect, idle: TestServer) => Promise<void>,
): Promise<void> {
  const directory = await writeModules({ "entry.mjs": SOCKET_SERVER });
  const limits = { maxConcurrent: 1, maxQueued: 0, maxSockets: 1, idleMs: 200 };
  try {
    await using test = computeServer({ directory, limits });
    await using idle = computeServer({ directory, limits });
    const connect: Connect = (target) =>
      test.server.connect({
        method: "GET",
        target,
        headers: [["host", "app.example"]],
        requestId: `req_${target}`,
      });
    await run(test, connect, idle);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

Deno.test("a WebSocket that the server declines releases both its slots", () =>
  withSmallServer(async (test, connect) => {
    for (let round = 0; round < 3; round++) {
      const declined = await connect("/declined");
      if (declined.type !== "response") throw new Error(JSON.stringify(declined));
      await new Response(declined.response.body).text();
      assert.equal(await test.ask("/"), "200 no socket");
    }
    const opened = await connect("/chat");
    assert.equal(opened.type, "open");
  }));

Deno.test("an open WebSocket does not use a request slot, and keeps its server running", () =>
  withSmallServer(async (test, connect, idle) => {
    const hasEnded = ({ logs }: TestServer) =>
      logs.some(({ message }) => message.endsWith("it was idle"));
    const opened = await connect("/chat");
    if (opened.type !== "open") throw new Error(JSON.stringify(opened));
    assert.deepEqual(await connect("/chat"), {
      type: "failed",
      reason: "overloaded",
      message: "The server has reached its WebSocket limit: 1",
    });
    assert.equal(await test.ask("/"), "200 no socket");
    assert.equal(await idle.ask("/"), "200 no socket");
    await until(() => hasEnded(idle));
    assert.equal(hasEnded(test), false);
    opened.socket.close(1000);
    assert.equal((await opened.socket.messages.next()).done, true);
    await until(() => hasEnded(test));
  }));
