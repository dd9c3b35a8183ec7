import assert from "node:assert/strict";
import { join } from "node:path";
import WebSocket from "ws";
import { deployServer, SOCKET_SITE } from "./_compute_site.ts";
import { makeCertificate } from "./_pebble.ts";
import { createProject, start, withPlatform } from "./_platform.ts";

const HOST = "shop.localhost";

Deno.test("WebSockets pass through: protocol, text, binary, close codes, rules, refusals", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", SOCKET_SITE);
    const open = (path: string) =>
      new WebSocket(`ws://127.0.0.1:${platform.port}${path}`, ["chat", "echo"], {
        headers: { host: HOST },
      });
    const refused = (path: string) =>
      new Promise<number>((resolve) => {
        const socket = open(path);
        socket.on("unexpected-response", (request, response) => {
          resolve(response.statusCode ?? 0);
          request.destroy();
        });
        socket.on("error", () => {});
      });
    assert.equal(await refused("/denied"), 403);
    assert.equal(await refused("/declined"), 403);

    const socket = open("/chat");
    let header: string | string[] | undefined;
    socket.on("upgrade", (response) => header = response.headers["x-edge"]);
    await new Promise((resolve) => socket.once("open", resolve));
    assert.equal(socket.protocol, "echo");
    assert.equal(header, "yes");
    const echo = (message: string | Uint8Array) => {
      const answer = new Promise<Uint8Array | string>((resolve) =>
        socket.once(
          "message",
          (data, isBinary) => resolve(isBinary ? new Uint8Array(data as Uint8Array) : String(data)),
        )
      );
      socket.send(message);
      return answer;
    };
    assert.equal(await echo("hello ✓"), "hello ✓");
    assert.deepEqual(await echo(new Uint8Array([1, 2, 3])), new Uint8Array([1, 2, 3]));
    const long = "x".repeat(300_000);
    assert.equal(await echo(long), long);
    const closed = new Promise<number>((resolve) => socket.once("close", resolve));
    socket.send("bye");
    assert.equal(await closed, 4001);
  }));

Deno.test("WebSockets come over TLS, and a platform that stops closes them in time", async () => {
  const folder = await Deno.makeTempDir({ prefix: "svc-socket-" });
  try {
    const tls = await makeCertificate(folder, "own", ["DNS:svc.test", "DNS:*.svc.test"]);
    const platform = await start(join(folder, "data"), {
      baseDomain: "svc.test",
      httpsPort: 0,
      tls,
    });
    await createProject(platform, "shop");
    await deployServer(platform, "shop", SOCKET_SITE);
    const socket = new WebSocket(`wss://127.0.0.1:${platform.httpsPort}/chat`, {
      headers: { host: "shop.svc.test" },
      // Known to node:tls, not to the types of ws.
      ...{ servername: "shop.svc.test" },
      ca: await Deno.readTextFile(tls.certFile),
    });
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
    const began = performance.now();
    await platform.shutdown();
    assert.ok(performance.now() - began < 20_000);
    assert.notEqual(await closed, 1000);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
