/** Tests server responses that end too early, and large WebSocket messages, on both engines. */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { setTimeout } from "node:timers/promises";
import WebSocket from "ws";
import { onEachEngine } from "../../helpers/compute_server.ts";
import { deployServer, SOCKET_SITE } from "../../helpers/compute_site.ts";
import { createProject, rawRequest, withPlatform } from "../../helpers/platform.ts";

const HOST = "shop.localhost";

/**
 * A server that starts a response, with a length or in chunks, and stops sending or exits partway
 * through.
 */
const SERVER = `
import { createServer } from "node:http";
const server = createServer((request, response) => {
  const url = new URL(request.url, "http://site");
  if (url.pathname === "/api/leaves") {
    server.close();
    response.writeHead(200, { connection: "close" }).end("leaving");
    setTimeout(() => process.exit(7), 20);
    return;
  }
  if (url.pathname === "/api/late") {
    setTimeout(() => response.writeHead(200).write("first part"), 60);
    return;
  }
  const head = url.searchParams.has("length") ? { "content-length": "1000" } : {};
  response.writeHead(200, { "content-type": "text/plain", ...head });
  response.write("first part");
  setTimeout(() => {
    if (url.pathname === "/api/whole") return response.end("x".repeat(990));
    if (url.pathname === "/api/dies") process.exit(7);
    response.destroy();
  }, 50);
});
server.listen(Number(process.env.PORT), process.env.HOST);
`;

/** Reads everything that the platform sends on a connection until the connection is closed. */
async function readAll(port: number, path: string): Promise<string> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const request = `GET ${path} HTTP/1.1\r\nHost: ${HOST}\r\nAccept-Encoding: identity\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of connection.readable) {
      text += decoder.decode(chunk, { stream: true });
      const isWhole = /^content-length:/im.test(text) && text.includes("x".repeat(990));
      if (isWhole || /\r\n0\r\n\r\n$/.test(text)) break;
    }
  } catch (error) {
    if (!(error instanceof Deno.errors.ConnectionReset)) throw error;
  }
  return text;
}

onEachEngine(
  "a response that breaks off is visibly incomplete because the connection closes early",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { server: SERVER, engine });
      for (const path of ["/api/breaks", "/api/breaks?length", "/api/dies", "/api/dies?length"]) {
        const text = await readAll(platform.port, path);
        assert.match(text, /^HTTP\/1\.1 200 /, path);
        assert.match(text, /first part/, path);
        assert.doesNotMatch(text, /\r\n0\r\n\r\n$/, `${path} must not look complete`);
        const whole = await readAll(platform.port, "/api/whole?length");
        assert.match(whole, /content-length: 1000/i, "the next request gets a response");
      }
      assert.match(await readAll(platform.port, "/api/whole"), /\r\n0\r\n\r\n$/);
    }),
);

onEachEngine(
  "a request that an exiting process does not accept goes to the next process",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { server: SERVER, engine });
      for (const body of [undefined, "a body"]) {
        const method = body === undefined ? "GET" : "POST";
        const ask = (path: string) => rawRequest(platform.port, { host: HOST, method, path, body });
        assert.equal((await ask("/api/leaves")).text, "leaving");
        const next = await ask("/api/whole?length");
        assert.equal(next.status, 200, `${method}: ${next.text}`);
      }
    }),
);

interface Closed {
  readonly code: number;
}

/** Opens a WebSocket that accepts messages of any size. */
async function open(port: number): Promise<WebSocket> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}/chat`, {
    headers: { host: HOST },
    perMessageDeflate: false,
    maxPayload: 64 * 1024 * 1024,
  });
  await new Promise((resolve, reject) => {
    socket.once("open", resolve);
    socket.once("error", reject);
  });
  return socket;
}

const nextMessage = (socket: WebSocket) =>
  new Promise<Uint8Array | Closed>((resolve) => {
    socket.once("message", (data: Uint8Array) => resolve(new Uint8Array(data)));
    socket.once("close", (code) => resolve({ code }));
    socket.once("error", () => {});
  });

/** The WebSocket server copies received data many times, so large messages take a while. */
const SITE = {
  ...SOCKET_SITE,
  manifest: {
    ...SOCKET_SITE.manifest,
    layers: SOCKET_SITE.manifest.layers.map((layer) => ({
      ...layer,
      ...(layer.target === "COMPUTE" ? { runtime: { timeoutMs: 60_000, memoryMb: 1024 } } : {}),
    })),
  },
};

const MIB = 1024 * 1024;
const pattern = (size: number) => new Uint8Array(size).map((_, at) => at % 251);

onEachEngine(
  "WebSockets pass on pings and messages of 1 and 16 MiB, even in fragments",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { ...SITE, engine });
      for (const size of [MIB, 16 * MIB]) {
        const socket = await open(platform.port);
        const bytes = pattern(size);
        const answer = nextMessage(socket);
        socket.send(bytes);
        const received = await answer;
        if (!(received instanceof Uint8Array)) assert.fail(`${size}: ${JSON.stringify(received)}`);
        assert.equal(Buffer.compare(received, bytes), 0, String(size));
        socket.close();
      }
      const socket = await open(platform.port);
      const bytes = pattern(3 * MIB);
      const answer = nextMessage(socket);
      for (let at = 0; at < 3; at++) {
        socket.send(bytes.subarray(at * MIB, (at + 1) * MIB), { fin: at === 2, binary: true });
      }
      const joined = await answer;
      assert.ok(joined instanceof Uint8Array && Buffer.compare(joined, bytes) === 0);
      const pong = new Promise((resolve) => socket.once("pong", resolve));
      socket.ping("are you there");
      assert.equal(String(await pong), "are you there");
      socket.close();
    }),
);

onEachEngine(
  "a 33 MiB message from a server closes only its own socket",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { ...SITE, engine });
      const other = await open(platform.port);
      const socket = await open(platform.port);
      const answer = nextMessage(socket);
      socket.send(pattern(33 * MIB));
      const end = await answer;
      assert.ok(!(end instanceof Uint8Array), "the oversized message is not returned");
      const echo = nextMessage(other);
      other.send(new Uint8Array([1, 2, 3]));
      assert.deepEqual(await echo, new Uint8Array([1, 2, 3]));
      other.close();
    }),
);

/** Cancels a request whose response has not started. */
async function giveUp(port: number): Promise<void> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const request = `GET /api/late HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`;
  await connection.write(new TextEncoder().encode(request));
  await setTimeout(20);
  connection.close();
}

onEachEngine(
  "visitors who leave before their responses start free their slots",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { server: SERVER, engine });
      // More requests than a server handles at a time.
      for (let round = 0; round < 5; round++) {
        await Promise.all(Array.from({ length: 50 }, () => giveUp(platform.port)));
      }
      assert.match(await readAll(platform.port, "/api/whole"), /^HTTP\/1\.1 200/);
    }),
);
