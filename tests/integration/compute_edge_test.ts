import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { createHash } from "node:crypto";
import WebSocket from "ws";
import { deployServer, LAYERS, SERVER } from "./_compute_site.ts";
import {
  create,
  createProject,
  rawRequest,
  type TestPlatform,
  upload,
  withPlatform,
} from "./_platform.ts";

const HOST = "shop.localhost";

/** One platform and one deployed server for the steps of a test. */
const withServer = (
  run: (platform: TestPlatform) => Promise<void>,
  options: Parameters<typeof deployServer>[2] = {},
) =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", options);
    await run(platform);
  });

Deno.test("a deployment with a server answers: files, server, fallthrough, methods, cookies", () =>
  withServer(async (platform) => {
    const text = async (path: string) => (await platform.get(HOST, path)).text;
    assert.equal(await text("/"), "static home");
    assert.equal(await text("/about"), "static about");
    assert.equal(await text("/anything?x=1"), "server: /anything?x=1");
    assert.equal(await text("/server/entry.mjs"), "server: /server/entry.mjs");
    const none = await platform.get(HOST, "/api/none");
    assert.deepEqual([none.status, none.text], [404, "no such thing in the server"]);

    const echo = JSON.parse(
      (await platform.get(HOST, "/api/echo", { "x-forwarded-for": "6.6.6.6" })).text,
    );
    assert.equal(echo.headers["x-forwarded-for"], "127.0.0.1");
    assert.equal(echo.headers.host, HOST);
    assert.match(echo.headers["x-svc-request-id"], /^[0-9a-f]/);

    const redirect = await platform.get(HOST, "/api/cookies");
    assert.equal(redirect.status, 302);
    assert.equal(redirect.headers.location, "/elsewhere");
    assert.deepEqual(redirect.headers["set-cookie"], ["a=1", "b=2"]);
    assert.ok(redirect.headers["x-svc-deployment"]);
    const head = await rawRequest(platform.port, { method: "HEAD", host: HOST, path: "/anything" });
    assert.deepEqual([head.status, head.text], [200, ""]);
  }));

Deno.test("large bodies go both ways without being held", () =>
  withServer(async (platform) => {
    const large = await platform.get(HOST, "/api/large");
    assert.equal(large.body.byteLength, 32 * 1024 * 1024);
    const sent = createHash("sha256");
    const answer = await new Promise<string>((resolve, reject) => {
      const request = httpRequest({
        hostname: "127.0.0.1",
        port: platform.port,
        method: "POST",
        path: "/api/hash",
        headers: { host: HOST },
      }, (response) => {
        let text = "";
        response.on("data", (chunk) => text += chunk);
        response.on("end", () => resolve(text));
      });
      request.on("error", reject);
      const chunk = new Uint8Array(64 * 1024).fill(7);
      let left = 256;
      const more = () => {
        while (left-- > 0) {
          sent.update(chunk);
          if (!request.write(chunk)) return void request.once("drain", more);
        }
        request.end();
      };
      more();
    });
    assert.equal(answer, sent.digest("hex"));
  }));

Deno.test("events come as they are made, and a client that goes is noticed", () =>
  withServer(async (platform) => {
    await new Promise<void>((resolve, reject) => {
      const request = httpRequest({
        hostname: "127.0.0.1",
        port: platform.port,
        path: "/api/events",
        headers: { host: HOST },
      }, (response) => {
        assert.equal(response.headers["content-type"], "text/event-stream");
        let text = "";
        response.on("error", () => {});
        response.on("data", (chunk) => {
          text += chunk;
          if (!text.includes("data: 3")) return;
          request.destroy();
          resolve();
        });
      });
      request.on("error", reject);
      request.end();
    });
    for (let round = 0; round < 50; round++) {
      const { json } = await platform.api("GET", "/v1/projects/shop/logs?search=events%20closed");
      if (json.items.length > 0) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.fail("The server was not told");
  }));

Deno.test("failures are plain pages with the request's id, and told in the logs", () =>
  withServer(async (platform) => {
    const began = performance.now();
    const late = await platform.get(HOST, "/api/hang");
    assert.equal(late.status, 504);
    assert.ok(performance.now() - began < 10_000);
    assert.match(late.text, new RegExp(String(late.headers["x-svc-request-id"])));
    const crashed = await platform.get(HOST, "/api/crash");
    assert.equal(crashed.status, 502);
    assert.doesNotMatch(crashed.text, /exit|code|crash/);
    for (let round = 0; round < 50; round++) {
      if ((await platform.get(HOST, "/back")).status === 200) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.equal((await platform.get(HOST, "/back")).text, "server: /back");
    const errors = await platform.api("GET", "/v1/projects/shop/logs?level=error");
    const messages = errors.json.items.map((item: { error?: string; message?: string }) =>
      item.error ?? item.message
    );
    for (const word of [/timeout/, /crash/]) {
      assert.ok(messages.some((message: string) => word.test(message)), `${word}: ${messages}`);
    }
  }));

Deno.test("a server that does not start never goes live, and what was live stays", () =>
  withServer(async (platform) => {
    const files = {
      "index.html": "broken home",
      "server/entry.mjs": `console.error("no database"); throw new Error("can not start");`,
    };
    const created = await create(platform, "shop", {
      files,
      manifest: { version: 1, layers: LAYERS, routes: [{ pattern: "^/.*$", layer: "app" }] },
    });
    await upload(platform, files);
    const { id } = created.json.deployment;
    const refused = await platform.api("POST", `/v1/deployments/${id}/activate`);
    assert.equal(refused.status, 409, JSON.stringify(refused.json));
    assert.match(refused.json.error, /did not start/);
    assert.match(JSON.stringify(refused.json.problems), /no database|can not start/);
    const { json } = await platform.api("GET", `/v1/deployments/${id}`);
    assert.equal(json.status, "FAILED");
    assert.match(json.error, /did not start/);
    assert.equal((await platform.get(HOST, "/x")).text, "server: /x");
  }));

Deno.test("old and new versions run side by side until the old has no request left", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const versioned = (version: string) =>
      deployServer(platform, "shop", {
        version,
        server: SERVER.replace("server: ", `v${version}: `).replace('"slow"', `"slow v${version}"`),
      });
    const first = await versioned("1");
    const slow = platform.get(HOST, "/api/slow");
    await new Promise((resolve) => setTimeout(resolve, 100));
    const second = await versioned("2");
    assert.equal((await platform.get(HOST, "/x")).text, "v2: /x");
    assert.equal((await slow).text, "slow v1");
    const unique = new URL(first.urls.unique).hostname;
    assert.equal((await platform.get(unique, "/x")).text, "v1: /x");
    const back = await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
    assert.equal(back.status, 200, JSON.stringify(back.json));
    assert.equal((await platform.get(HOST, "/x")).text, "v1: /x");
    const stopped = await platform.api("POST", `/v1/deployments/${second.id}/stop`);
    assert.equal(stopped.status, 200, JSON.stringify(stopped.json));
    const folders = Array.from(Deno.readDirSync(`${platform.dataDir}/compute`), ({ name }) => name);
    assert.ok(folders.includes(first.id) && !folders.includes(second.id), folders.join());
  }));

const SOCKET_SERVER = `
import { createServer } from "node:http";
import { createHash } from "node:crypto";
const server = createServer((request, response) => response.end("no socket"));
server.on("upgrade", (request, socket) => {
  if (request.url === "/declined") {
    socket.end("HTTP/1.1 403 Forbidden\\r\\ncontent-length: 2\\r\\nconnection: close\\r\\n\\r\\nno");
    return;
  }
  const accept = createHash("sha1")
    .update(request.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11")
    .digest("base64");
  const protocol = request.headers["sec-websocket-protocol"]?.split(",").at(-1).trim();
  socket.write("HTTP/1.1 101 Switching Protocols\\r\\nupgrade: websocket\\r\\nconnection: Upgrade\\r\\n" +
    "sec-websocket-accept: " + accept + "\\r\\n" +
    (protocol ? "sec-websocket-protocol: " + protocol + "\\r\\n" : "") + "\\r\\n");
  let pending = Buffer.alloc(0);
  socket.on("data", (data) => {
    pending = Buffer.concat([pending, data]);
    for (;;) {
      if (pending.length < 2) return;
      let length = pending[1] & 127, at = 2;
      if (length === 126) { if (pending.length < 4) return; length = pending.readUInt16BE(2); at = 4; }
      else if (length === 127) { if (pending.length < 10) return; length = Number(pending.readBigUInt64BE(2)); at = 10; }
      if (pending.length < at + 4 + length) return;
      const opcode = pending[0] & 15;
      const mask = pending.subarray(at, at + 4);
      const payload = Buffer.from(pending.subarray(at + 4, at + 4 + length));
      for (let i = 0; i < length; i++) payload[i] ^= mask[i & 3];
      pending = pending.subarray(at + 4 + length);
      const head = length < 126 ? Buffer.from([128 | opcode, length])
        : length < 65536 ? Buffer.from([128 | opcode, 126, length >> 8, length & 255])
        : (() => { const b = Buffer.alloc(10); b[0] = 128 | opcode; b[1] = 127; b.writeBigUInt64BE(BigInt(length), 2); return b; })();
      socket.write(Buffer.concat([head, payload]));
      if (opcode === 8) return socket.end();
      if (payload.toString() === "bye") socket.end(Buffer.from([136, 2, 4001 >> 8, 4001 & 255]));
    }
  });
  socket.on("error", () => {});
});
server.listen(Number(process.env.PORT), process.env.HOST);
`;

Deno.test("WebSockets pass through: protocol, text, binary, close codes, rules, refusals", () =>
  withServer(async (platform) => {
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
  }, {
    server: SOCKET_SERVER,
    manifest: { version: 1, layers: LAYERS, routes: [{ pattern: "^/.*$", layer: "app" }] },
    rules: {
      schemaVersion: "EDGE_RULE_SET_V1",
      rules: [
        {
          id: "deny",
          condition: { path: { type: "exact", value: "/denied" } },
          action: { type: "deny" },
        },
        { id: "mark", action: { type: "set_headers", headers: { "x-edge": "yes" } } },
      ],
    },
  }));
