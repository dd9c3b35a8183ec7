/**
 * Servers that reach themselves and the hosts of their platform, from within the sandbox.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { ENGINES, onEachEngine, type TestEngine } from "../../helpers/compute_server.ts";
import { deployServer, PATIENT_MANIFEST } from "../../helpers/compute_site.ts";
import { secureGet } from "../../helpers/domains.ts";
import { makeCertificate } from "../../helpers/pebble.ts";
import {
  createProject,
  deploy,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";

const SITE = { ...PATIENT_MANIFEST, routes: [{ pattern: "^/.*$", layer: "app" }] };

/** `/by/<way>?<url>` answers what a request of the server itself was answered. */
const SERVER = `
import http from "node:http";
import https from "node:https";
import net from "node:net";

const asked = (url) => url.replace("$PORT", process.env.PORT).replace("$URL", process.env.SVC_URL);
const seen = (status, edge, body) => [status, edge ?? "-", body.trim()].join(" ");

const ways = {
  async fetch(url) {
    const answer = await fetch(url, { redirect: "manual" });
    return seen(answer.status, answer.headers.get("x-edge"), await answer.text());
  },
  request: (url) => new Promise((resolve, reject) => {
    const { get } = url.startsWith("https:") ? https : http;
    get(url, { rejectUnauthorized: false }, async (answer) => {
      let body = "";
      for await (const chunk of answer) body += chunk;
      resolve(seen(answer.statusCode, answer.headers["x-edge"], body));
    }).on("error", reject);
  }),
  socket: (url) => new Promise((resolve, reject) => {
    const { hostname, port, pathname, hash } = new URL(url);
    const host = hash === "" ? hostname : hash.slice(1);
    const socket = net.connect({ host: hostname.replace(/[\\[\\]]/g, ""), port: Number(port) });
    let text = "";
    socket.on("connect", () => socket.write(
      "GET " + pathname + " HTTP/1.1\\r\\nhost: " + host + "\\r\\nconnection: close\\r\\n\\r\\n"));
    socket.on("data", (chunk) => text += chunk);
    socket.on("end", () => {
      const [head, ...body] = text.split("\\r\\n\\r\\n");
      resolve(seen(head.split(" ")[1], /x-edge: (\\w+)/i.exec(head)?.[1],
        body.join("").replace(/^[0-9a-f]+\\r\\n|\\r\\n0$/g, "")));
    });
    socket.on("error", reject);
  }),
};

http.createServer(async (request, response) => {
  const { pathname, search } = new URL(request.url, "http://server");
  if (pathname === "/hello") return response.end("hello");
  if (pathname === "/loop") return response.end(await ways.fetch(asked("$URL/loop")));
  if (pathname === "/turn") return response.end(await ways.fetch(asked("http://localhost:$PORT/turn")));
  const way = ways[pathname.slice("/by/".length)];
  try {
    response.end(await way(asked(decodeURIComponent(search.slice(1)))));
  } catch (error) {
    response.end("failed: " + (error.cause?.code ?? error.code ?? error.message));
  }
}).listen(process.env.PORT);
`;

const RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [
    {
      id: "edge",
      condition: {},
      action: { type: "set_headers", headers: { "x-edge": "passed" } },
    },
    {
      id: "closed",
      condition: { path: { type: "exact", value: "/closed" } },
      action: { type: "deny" },
    },
  ],
};

async function deployReaching(platform: TestPlatform, engine: TestEngine, prod: boolean) {
  return await deployServer(platform, "shop", {
    engine,
    server: SERVER,
    manifest: SITE,
    rules: RULES,
    prod,
  });
}

/** What the server sees of a URL: `$PORT` is its own port, `$URL` its `SVC_URL`. */
function reach(platform: TestPlatform, host: string) {
  return async (way: string, url: string): Promise<string> =>
    (await platform.get(host, `/by/${way}?${encodeURIComponent(url)}`)).text;
}

onEachEngine(
  "a server reaches itself, its own host and other sites, and nothing else of the machine",
  ({ engine, t }) =>
    withPlatform(async (platform) => {
      await using local = Deno.serve(
        { hostname: "127.0.0.1", port: 0, onListen() {} },
        () => new Response("local"),
      );
      await createProject(platform, "other");
      await deploy(platform, "other", { files: { "index.html": "other" } });
      await createProject(platform, "shop");
      const { urls } = await deployReaching(platform, engine, true);
      const preview = await deployReaching(platform, engine, false);
      const { port } = platform;
      const rows = [
        ["fetch", "http://localhost:$PORT/hello", /^200 - hello$/],
        ["request", "http://127.0.0.1:$PORT/hello", /^200 - hello$/],
        ["socket", "http://127.0.0.1:$PORT/hello", /^200 - hello$/],
        ["fetch", "http://[::1]:$PORT/hello", /^200 - hello$/],
        ["fetch", "$URL/hello", /^200 passed hello$/],
        ["request", "$URL/hello", /^200 passed hello$/],
        ["socket", "$URL/hello", /^200 passed hello$/],
        ["fetch", `${urls.unique}/hello`, /^200 passed hello$/],
        ["fetch", "$URL/closed", /^403 /],
        ["fetch", `http://other.localhost:${port}/`, /^200 - other$/],
        ["socket", `http://127.0.0.1:${port}/#other.localhost`, /^200 - other$/],
        ["fetch", `http://localhost:${port}/v1/projects`, /^403 - Servers reach the sites/],
        ["fetch", `http://127.0.0.1:${port}/metrics`, /^403 - Servers reach the sites/],
        ["socket", `http://127.0.0.1:${port}/#[::1]`, /^403 - Servers reach the sites/],
        ["fetch", `http://127.0.0.1:${local.addr.port}/`, /^failed: (?!local)/],
        ["socket", `http://127.0.0.1:${local.addr.port}/`, /^failed: (EACCES|ECONNREFUSED)/],
      ] as const;
      for (
        const { name, host } of [
          { name: "production", host: "shop.localhost" },
          { name: "a preview", host: new URL(preview.urls.unique).hostname },
        ]
      ) {
        const ask = reach(platform, host);
        for (const [way, url, expected] of rows) {
          await t.step(`${name}: ${way} ${url.replaceAll(/:\d+/g, ":N")}`, async () => {
            assert.match(await ask(way, url), expected);
          });
        }
      }
      await t.step("a server that calls itself for ever ends in 508", async () => {
        const called = await platform.get("shop.localhost", "/loop");
        assert.match(
          called.text,
          /^(200 passed ){16}508 - 508 Loop detected: This server has called itself 16 times/,
        );
        const turned = await platform.get("shop.localhost", "/turn");
        assert.match(turned.text, /^(200 - ){16}508 - This server has called itself 16 times/);
      });
      await t.step("a visitor cannot say how deep a request is nested", async () => {
        const { status, text } = await platform.get("shop.localhost", "/hello", {
          "x-svc-depth": "99",
        });
        assert.deepEqual([status, text], [200, "hello"]);
      });
    }),
);

Deno.test("a server reaches its own host where that is HTTPS", () =>
  inTestFolder(async (folder) => {
    const tls = await makeCertificate(folder, "own", ["DNS:svc.test", "DNS:*.svc.test"]);
    const platform = await start(join(folder, "data"), {
      baseDomain: "svc.test",
      httpsPort: 0,
      tls,
    });
    await createProject(platform, "shop");
    await deployReaching(platform, ENGINES.at(-1)!, true);
    const ask = (url: string) =>
      secureGet(platform.httpsPort!, "shop.svc.test", {
        ca: tls.certFile,
        path: `/by/request?${encodeURIComponent(url)}`,
      });
    assert.equal(await ask("$URL/hello"), "200 passed hello 2 200");
    assert.equal(
      await ask(`http://shop.svc.test:${platform.port}/hello`),
      "200 passed hello 2 200",
    );
    await platform.shutdown();
  }));
