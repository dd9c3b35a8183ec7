import assert from "node:assert/strict";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import WebSocket from "ws";
import { onEachEngine } from "../../helpers/compute_server.ts";
import { deployServer, SOCKET_SITE } from "../../helpers/compute_site.ts";
import { makeCertificate } from "../../../src/lib/_test_certificate.ts";
import { createProject, start, withPlatform } from "../../helpers/platform.ts";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";

const HOST = "shop.localhost";

const openAt = (port: number, path: string) =>
  new WebSocket(`ws://127.0.0.1:${port}${path}`, ["chat", "echo"], { headers: { host: HOST } });

/** Requests an upgrade that must be rejected. Returns the status of the response. */
const refusedAt = (port: number, path: string) =>
  new Promise<number>((resolve) => {
    const socket = openAt(port, path);
    socket.on("unexpected-response", (request, response) => {
      resolve(response.statusCode ?? 0);
      request.destroy();
    });
    socket.on("error", () => {});
  });

onEachEngine(
  "WebSockets pass on protocol, text, binary, close codes, rules and refusals",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { ...SOCKET_SITE, engine });
      assert.equal(await refusedAt(platform.port, "/denied"), 403);

      const socket = openAt(platform.port, "/chat");
      let header: string | string[] | undefined;
      socket.on("upgrade", (response) => header = response.headers["x-edge"]);
      await new Promise((resolve) => socket.once("open", resolve));
      assert.equal(socket.protocol, "echo");
      assert.equal(header, "yes");
      const echo = (message: string | Uint8Array) => {
        const answer = new Promise<Uint8Array | string>((resolve) =>
          socket.once(
            "message",
            (data, isBinary) =>
              resolve(isBinary ? new Uint8Array(data as Uint8Array) : String(data)),
          )
        );
        socket.send(message);
        return answer;
      };
      assert.equal(await echo("hello ✓"), "hello ✓");
      assert.deepEqual(await echo(new Uint8Array([1, 2, 3])), new Uint8Array([1, 2, 3]));
      for (const size of [65_536, 249_999, 250_000, 1_000_000]) {
        assert.equal(await echo("x".repeat(size)), "x".repeat(size));
        const bytes = Uint8Array.from({ length: size }, (_, at) => at);
        assert.deepEqual(await echo(bytes), bytes);
      }
      const closed = new Promise<number>((resolve) => socket.once("close", resolve));
      socket.send("bye");
      assert.equal(await closed, 4001);
    }),
);

onEachEngine(
  "a server can decline a WebSocket with its own status",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      await deployServer(platform, "shop", { ...SOCKET_SITE, engine });
      assert.equal(await refusedAt(platform.port, "/declined"), 403);
    }),
);

/**
 * Longer than an idle connection can stay open, and longer than anything else in this test takes.
 */
const IDLE_MS = 9000;

Deno.test("a WebSocket can stay open longer than an idle connection", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-socket-" });
  const limits = { headMs: 5000, keepAliveMs: 5000, bodyMs: 5000 };
  const platform = await start(join(folder, "data"), { connections: limits });
  try {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", SOCKET_SITE);
    const socket = openAt(platform.port, "/chat");
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    const echo = (message: string | Uint8Array) => {
      const answer = new Promise<string | Uint8Array>((resolve, reject) => {
        socket.once("close", (code) => reject(new Error(`Closed with code ${code}`)));
        socket.once(
          "message",
          (data, isBinary) => resolve(isBinary ? new Uint8Array(data as Uint8Array) : String(data)),
        );
      });
      socket.send(message);
      return answer;
    };
    const bytes = Uint8Array.from({ length: 300_000 }, (_, at) => at);
    for (const waitMs of [0, IDLE_MS]) {
      await delay(waitMs);
      assert.equal(await echo("hello ✓"), "hello ✓");
      assert.deepEqual(await echo(bytes), bytes);
    }
    socket.terminate();
  } finally {
    await platform.shutdown();
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("a WebSocket passes messages over TLS, and a stopping platform closes it", async () => {
  await inTestFolder(async (folder) => {
    const tls = await makeCertificate(folder, "own", ["DNS:svc.test", "DNS:*.svc.test"]);
    const platform = await start(join(folder, "data"), {
      baseDomain: "svc.test",
      httpsPort: 0,
      tls,
    });
    await createProject(platform, "shop");
    await deployServer(platform, "shop", SOCKET_SITE);
    const options = {
      headers: { host: "shop.svc.test" },
      // An option of node:tls that the types of ws lack.
      servername: "shop.svc.test",
      ca: await Deno.readTextFile(tls.certFile),
    };
    const socket = new WebSocket(`wss://127.0.0.1:${platform.httpsPort}/chat`, options);
    const closed = new Promise<number>((resolve) => socket.once("close", resolve));
    await new Promise((resolve, reject) => {
      socket.once("open", resolve);
      socket.once("error", reject);
    });
    const answer = new Promise<string>((resolve) =>
      socket.once("message", (data) => resolve(String(data)))
    );
    socket.send("over TLS");
    assert.equal(await answer, "over TLS");
    await platform.shutdown();
    assert.notEqual(await closed, 1000);
  });
});
