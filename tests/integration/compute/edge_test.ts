import assert from "node:assert/strict";
import { request as httpRequest } from "node:http";
import { createHash } from "node:crypto";
import { onEachEngine } from "../../helpers/compute_server.ts";
import {
  deployServer,
  HASTY_MANIFEST,
  LAYERS,
  SERVER,
  withEngine,
} from "../../helpers/compute_site.ts";
import {
  create,
  createProject,
  rawRequest,
  type TestPlatform,
  upload,
  withPlatform,
} from "../../helpers/platform.ts";
import { until } from "../../../src/lib/_test_until.ts";

const HOST = "shop.localhost";

/** Runs a test's steps with one platform and one deployed server. */
const withServer = (
  run: (platform: TestPlatform) => Promise<void>,
  options: Parameters<typeof deployServer>[2] = {},
) =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deployServer(platform, "shop", options);
    await run(platform);
  });

onEachEngine(
  "a deployment with a server serves files and routes, and passes on methods and cookies",
  ({ engine }) =>
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
      const head = await rawRequest(platform.port, {
        method: "HEAD",
        host: HOST,
        path: "/anything",
      });
      assert.deepEqual([head.status, head.text], [200, ""]);
    }, { engine }),
);

onEachEngine(
  "large bodies stream in both directions without buffering",
  ({ engine }) =>
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
    }, { engine }),
);

onEachEngine(
  "events arrive as they are sent, and the server notices when a client leaves",
  ({ engine }) =>
    withServer(async (platform) => {
      // Uses plain TCP, because with Deno's node:http, the test fails if the client disconnects in
      // the middle of a body.
      const conn = await Deno.connect({ hostname: "127.0.0.1", port: platform.port });
      await conn.write(
        new TextEncoder().encode(`GET /api/events HTTP/1.1\r\nHost: ${HOST}\r\n\r\n`),
      );
      let text = "";
      for (const buffer = new Uint8Array(4096); !text.includes("data: 3");) {
        const count = await conn.read(buffer);
        assert.notEqual(count, null, text);
        text += new TextDecoder().decode(buffer.subarray(0, count!));
      }
      assert.match(text, /\r\ncontent-type: text\/event-stream\r\n/i);
      conn.close();
      await until(
        () => platform.api("GET", "/v1/projects/shop/logs?search=events%20closed"),
        ({ json }) => json.items.length > 0,
      );
    }, { engine }),
);

onEachEngine(
  "failures show plain pages with the request ID and are logged",
  ({ engine }) =>
    withServer(async (platform) => {
      const late = await platform.get(HOST, "/api/hang");
      assert.equal(late.status, 504);
      assert.match(late.text, new RegExp(String(late.headers["x-svc-request-id"])));
      const crashed = await platform.get(HOST, "/api/crash");
      assert.equal(crashed.status, 502);
      assert.doesNotMatch(crashed.text, /exit|code|crash/);
      const back = await until(
        () => platform.get(HOST, "/back"),
        ({ status }) => status === 200,
      );
      assert.equal(back.text, "server: /back");
      const errors = await platform.api("GET", "/v1/projects/shop/logs?level=error");
      const messages = errors.json.items.map((item: { error?: string; message?: string }) =>
        item.error ?? item.message
      );
      for (const word of [/timeout/, /crash/]) {
        assert.ok(messages.some((message: string) => word.test(message)), `${word}: ${messages}`);
      }
    }, { engine, manifest: HASTY_MANIFEST }),
);

onEachEngine(
  "a server that does not start never goes live, and the live deployment stays live",
  ({ engine }) =>
    withServer(async (platform) => {
      const files = {
        "index.html": "broken home",
        "server/entry.mjs": `console.error("no database"); throw new Error("can not start");`,
      };
      const created = await create(platform, "shop", {
        files,
        manifest: withEngine(
          { version: 1, layers: LAYERS, routes: [{ pattern: "^/.*$", layer: "app" }] },
          engine,
        ),
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
    }, { engine }),
);

onEachEngine(
  "old and new versions run side by side until the old version's requests have finished",
  ({ engine }) =>
    withPlatform(async (platform) => {
      await createProject(platform, "shop");
      const versioned = (version: string) =>
        deployServer(platform, "shop", {
          engine,
          version,
          server: SERVER.replace("server: ", `v${version}: `).replace(
            '"slow"',
            `"slow v${version}"`,
          ),
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
      const folders = Array.from(
        Deno.readDirSync(`${platform.dataDir}/compute`),
        ({ name }) => name,
      );
      assert.ok(folders.includes(first.id) && !folders.includes(second.id), folders.join());
    }),
);
