/** Servers must be able to reach themselves and their platform's hosts from within the sandbox. */
import assert from "node:assert/strict";
import { join } from "node:path";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { findToolchains } from "../../../src/toolchains/find_toolchains.ts";
import { ENGINES, onEachEngine, type TestEngine } from "../../helpers/compute_server.ts";
import { deployServer, MANIFEST } from "../../helpers/compute_site.ts";
import { secureGet } from "../../helpers/domains.ts";
import { startDns } from "../../../src/lib/_test_dns_server.ts";
import { makeCertificate } from "../../../src/lib/_test_certificate.ts";
import {
  createProject,
  deploy,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";

const SITE = { ...MANIFEST, routes: [{ pattern: "^/.*$", layer: "app" }] };

/** A server whose path `/by/<way>?<url>` returns the response to the server's own request. */
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

/** A Python server that also requests a URL on demand. */
const PROGRAM = `
import http.server, os, urllib.request

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, url = self.path.partition("?")
        try:
            body = urllib.request.urlopen(url + "/hello").read() if url else b"hello"
        except OSError as error:
            body = str(error).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

http.server.ThreadingHTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
`;

async function deployReaching(platform: TestPlatform, engine: TestEngine, prod: boolean) {
  return await deployServer(platform, "shop", {
    engine,
    server: SERVER,
    manifest: SITE,
    rules: RULES,
    prod,
  });
}

/**
 * Returns a function that makes the server request a URL. In the URL, `$PORT` stands for the
 * server's own port, and `$URL` for its `SVC_URL`.
 */
function reach(platform: TestPlatform, host: string) {
  return async (way: string, url: string): Promise<string> =>
    (await platform.get(host, `/by/${way}?${encodeURIComponent(url)}`)).text;
}

onEachEngine(
  "a server reaches itself, its own host and other sites, but nothing else on the machine",
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
        ["fetch", `http://localhost:${port}/v1/projects`, /^403 - This address serves sites/],
        ["fetch", `http://127.0.0.1:${port}/metrics`, /^403 - This address serves sites/],
        ["socket", `http://127.0.0.1:${port}/#[::1]`, /^403 - This address serves sites/],
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
      await t.step("a server that calls itself endlessly gets a 508", async () => {
        const called = await platform.get("shop.localhost", "/loop");
        assert.match(
          called.text,
          /^(200 passed ){16}508 - 508 Loop detected: This server has called itself 16 times/,
        );
        const turned = await platform.get("shop.localhost", "/turn");
        assert.match(turned.text, /^(200 - ){16}508 - This server has called itself 16 times/);
      });
      await t.step("a visitor cannot set a request's nesting depth", async () => {
        const { status, text } = await platform.get("shop.localhost", "/hello", {
          "x-svc-depth": "99",
        });
        assert.deepEqual([status, text], [200, "hello"]);
      });
    }),
);

Deno.test("a server reaches its project's custom domains that point to this platform", async () => {
  const dns = await startDns();
  try {
    await withPlatform(async (platform) => {
      await createProject(platform, "shop");
      const bound = ["www.shop.example", "moving.example"];
      for (const hostname of bound) {
        const { json } = await platform.api("POST", "/v1/projects/shop/domains", {
          json: { hostname, environment: "production" },
        });
        for (const { purpose, name, value } of json.records) {
          if (purpose === "proof") dns.names.set(name, { TXT: [value] });
        }
        dns.names.set("www.shop.example", { CNAME: ["cname.localhost"] });
        await platform.api("POST", `/v1/projects/shop/domains/${json.domain.id}/verify`);
      }
      await deployReaching(platform, "node", true);
      const ask = reach(platform, "shop.localhost");
      const urlOf = (hostname: string) => `http://${hostname}:${platform.port}/hello`;
      for (const way of ["fetch", "request", "socket"]) {
        assert.equal(await ask(way, urlOf(bound[0]!)), "200 passed hello");
      }
      assert.match(await ask("fetch", urlOf(bound[1]!)), /^failed: /);
    }, { dnsServer: dns.server });
  } finally {
    await dns.close();
  }
});

Deno.test({
  name: "a program in any language reaches its own host and custom domains",
  ignore: Deno.uid() !== 0 ||
    (await findToolchains(Deno.env.toObject(), ["python"])).length === 0,
  async fn() {
    const dns = await startDns();
    try {
      await withPlatform(async (platform) => {
        await createProject(platform, "shop");
        const { json } = await platform.api("POST", "/v1/projects/shop/domains", {
          json: { hostname: "www.shop.example", environment: "production" },
        });
        const [{ name, value }] = json.records;
        dns.names.set(name, { TXT: [value] });
        dns.names.set("www.shop.example", { CNAME: ["cname.localhost"] });
        await platform.api("POST", `/v1/projects/shop/domains/${json.domain.id}/verify`);
        await deploy(platform, "shop", {
          files: { "server.py": PROGRAM },
          manifest: {
            version: 1,
            layers: [{
              name: "app",
              target: "COMPUTE",
              directory: ".",
              entry: "server.py",
              runtime: { engine: "command", command: "exec python3 server.py", timeoutMs: 20_000 },
            }],
            routes: [{ pattern: "^/.*$", layer: "app" }],
          },
          prod: true,
        });
        for (const host of ["www.shop.example", "shop.localhost"]) {
          const { text } = await platform.get(
            "shop.localhost",
            `/?http://${host}:${platform.port}`,
          );
          assert.equal(text, "hello");
        }
      }, { dnsServer: dns.server });
    } finally {
      await dns.close();
    }
  },
});

Deno.test("a server reaches its own host over HTTPS", () =>
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
