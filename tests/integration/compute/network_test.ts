/** Tests a deployment server's network access, and WebSockets to it. */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { ComputeSocket } from "../../../src/runtime/mod.ts";
import { computeServer, type TestServer, writeModules } from "../../helpers/compute_server.ts";

const REACH = `
export default {
  async fetch(request) {
    try {
      const answer = await fetch(new URL(request.url).searchParams.get("to"));
      return new Response(await answer.text());
    } catch (error) {
      return new Response("refused", { status: 502 });
    }
  },
};`;

Deno.test("private addresses are unreachable unless this is allowed", async () => {
  await using local = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen() {} },
    () => new Response("local"),
  );
  const directory = await writeModules({ "entry.mjs": REACH });
  const target = `/?to=${encodeURIComponent(`http://127.0.0.1:${local.addr.port}/`)}`;
  await using closed = computeServer({ directory });
  assert.equal(await closed.ask(target), "502 refused");
  await using open = computeServer({ directory, allowPrivate: true });
  assert.equal(await open.ask(target), "200 local");
});

const WS = fileURLToPath(new URL("../../../node_modules/ws/wrapper.mjs", import.meta.url));

/** Writes servers that echo each message, using npm:ws and Deno. Returns their folder. */
async function socketServers(): Promise<string> {
  const { build, stop } = await import("esbuild");
  const { outputFiles } = await build({
    stdin: {
      contents: `
import { createServer } from "node:http";
import { WebSocketServer } from ${JSON.stringify(WS)};
const server = createServer((request, response) => response.writeHead(403).end("no socket here"));
const sockets = new WebSocketServer({ noServer: true, handleProtocols: (names) => [...names].at(-1) });
server.on("upgrade", (request, socket, head) => {
  if (request.url === "/refused") return socket.end("HTTP/1.1 401 Unauthorized\\r\\ncontent-length: 6\\r\\n\\r\\nno way");
  sockets.handleUpgrade(request, socket, head, (client) => {
    client.on("message", (data, binary) => {
      if (!binary && String(data) === "close") return client.close(4001, "as you like");
      if (!binary && String(data) === "cut") return client.terminate();
      client.ping();
      client.send(data, { binary });
    });
  });
});
server.listen(process.env.PORT);`,
      resolveDir: ".",
    },
    bundle: true,
    format: "esm",
    platform: "node",
    write: false,
    banner: {
      js:
        'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);',
    },
  });
  await stop();
  return await writeModules({
    "ws.mjs": outputFiles[0]!.text,
    "deno.mjs": `
Deno.serve((request) => {
  if (request.headers.get("upgrade") !== "websocket") return new Response("plain");
  const names = request.headers.get("sec-websocket-protocol")?.split(", ");
  const { socket, response } = Deno.upgradeWebSocket(request, { protocol: names?.at(-1) });
  socket.onmessage = ({ data }) => {
    if (data === "close") socket.close(4001, "as you like");
    else socket.send(data);
  };
  return response;
});`,
  });
}

async function open(
  { server }: TestServer,
  target = "/",
  protocols?: string,
): Promise<ComputeSocket> {
  const result = await server.connect({
    method: "GET",
    target,
    headers: [
      ["host", "app.example"],
      ...(protocols === undefined ? [] : [["sec-websocket-protocol", protocols] as const]),
    ],
    requestId: "req_socket",
  });
  assert.ok(result.type === "open", JSON.stringify(result));
  return result.socket;
}

Deno.test("WebSockets reach the server", async (t) => {
  const directory = await socketServers();
  for (const entry of ["ws.mjs", "deno.mjs"]) {
    await t.step(entry, async () => {
      await using app = computeServer({ directory, entry });
      const socket = await open(app, "/", "one, two");
      assert.equal(socket.protocol, "two");
      for (const message of ["hello", "x".repeat(70_000), "äöü", ""]) {
        await socket.send(message);
        assert.deepEqual(await socket.messages.next(), { done: false, value: message });
      }
      const bytes = crypto.getRandomValues(new Uint8Array(300));
      await socket.send(bytes);
      const { value } = await socket.messages.next();
      assert.deepEqual(new Uint8Array(value as Uint8Array), bytes);
      await socket.send("close");
      assert.deepEqual(await socket.messages.next(), {
        done: true,
        value: { code: 4001, reason: "as you like" },
      });
      const second = await open(app);
      second.close(1000, "done");
      assert.deepEqual(await second.messages.next(), {
        done: true,
        value: { code: 1000, reason: "done" },
      });
    });
  }
  await t.step("a broken connection closes with code 1006", async () => {
    await using app = computeServer({ directory, entry: "ws.mjs" });
    const socket = await open(app);
    await socket.send("cut");
    assert.deepEqual(await socket.messages.next(), {
      done: true,
      value: { code: 1006, reason: "" },
    });
  });
  await t.step("the server can respond without opening a WebSocket", async () => {
    await using app = computeServer({ directory, entry: "ws.mjs" });
    const result = await app.server.connect({
      method: "GET",
      target: "/refused",
      headers: [["host", "app.example"]],
      requestId: "req_refused",
    });
    assert.ok(result.type === "response");
    assert.equal(result.response.status, 401);
    assert.equal(await new Response(result.response.body).text(), "no way");
  });
});
