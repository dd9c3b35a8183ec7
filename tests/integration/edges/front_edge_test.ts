/**
 * Tests a real platform's front edges: the responses that they serve and relay, and the data that
 * they have.
 */
import assert from "node:assert/strict";
import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { dirname, join } from "node:path";
import fc from "fast-check";
import WebSocket from "ws";
import { inTestFolder } from "../../../src/lib/_test_folder.ts";
import { until } from "../../../src/lib/_test_until.ts";
import { deployServer, FILES, MANIFEST, SOCKET_SITE } from "../../helpers/compute_site.ts";
import { deployCached } from "../../helpers/cached_site.ts";
import { addEdge, startEdge, type TestEdge } from "../../helpers/front_edge.ts";
import {
  type Answer,
  createProject,
  deploy,
  rawRequest,
  sha256,
  start,
  type TestPlatform,
  withPlatform,
} from "../../helpers/platform.ts";

/** Number of generated requests. `EDGE_RUNS` can be set to a larger number. */
const RUNS = Number(Deno.env.get("EDGE_RUNS") ?? 500);
const HOST = "shop.localhost";
const CACHED = "cached.localhost";

const path = (value: string, type = "exact") => ({ path: { type, value } });
const RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [
    {
      id: "deny",
      condition: path("/secret/", "prefix"),
      action: { type: "deny", statusCode: 403 },
    },
    {
      id: "browsers",
      condition: { ...path("/about"), headers: { "x-deny": "yes" } },
      action: { type: "deny", statusCode: 451 },
    },
    {
      id: "abroad",
      condition: { ...path("/abroad"), geo: ["DE"] },
      action: { type: "deny", statusCode: 403 },
    },
    {
      id: "limit",
      condition: path("/limited"),
      action: { type: "rate_limit", limit: 3, windowSeconds: 600 },
    },
    {
      id: "old",
      condition: path("/old/{rest...}", "glob"),
      action: { type: "redirect", target: "/new/{rest}", statusCode: 301 },
    },
    {
      id: "inside",
      condition: path("/inside"),
      action: { type: "rewrite", target: "/about" },
    },
    {
      id: "headers",
      condition: path("/", "prefix"),
      action: { type: "set_headers", headers: { "x-site": "shop" } },
    },
  ],
};

const TALK_RULES = {
  schemaVersion: "EDGE_RULE_SET_V1",
  rules: [{ id: "talk", action: { type: "set_headers", headers: { "x-talk": "yes" } } }],
};

const PATHS = [
  "/",
  "/index.html",
  "/about",
  "/about/",
  "/about.html",
  "/docs",
  "/docs/",
  "/docs/index.html",
  "/large.txt",
  "/app.js",
  "/missing",
  "/missing.png",
  "/secret/a",
  "/secret%2Fa",
  "/%73ecret/a",
  "//secret//a",
  "/./docs/../secret/a",
  "/old/a/b",
  "/old/%2e%2e/b",
  "/inside",
  "/abroad",
  "/%zz",
  "/_svc/blobs/x",
  "/_svc/image?url=/a.png&w=64&q=75",
  "/.well-known/acme-challenge/x",
  "/api/echo-none",
  "/server/entry.mjs",
  "/rule/a",
  "/rule/vary/a",
  "/rule/lang/a",
  "/rule/cookie/a",
  "/pages/a",
  "/declared/a",
  "/phones/",
  "/plain/a",
] as const;

const HEADERS: readonly (readonly [string, readonly string[]])[] = [
  ["accept", ["*/*", "text/html,*/*;q=0.8", "image/webp"]],
  ["accept-encoding", ["gzip", "br;q=1, gzip;q=0.5", "identity"]],
  ["range", ["bytes=0-3", "bytes=5-", "bytes=-2", "bytes=0-0,3-4", "bytes=99999999-"]],
  ["if-none-match", ["*", '"nothing"']],
  ["if-modified-since", ["Thu, 01 Jan 2026 00:00:00 GMT"]],
  ["x-deny", ["yes", "no"]],
  ["accept-language", ["de", "en"]],
  ["authorization", ["Bearer a"]],
  ["cache-control", ["no-cache", "no-store", "max-age=0", "only-if-cached"]],
  ["if-match", ["*", '"nothing"']],
  ["x-curious", ["yes"]],
  ["x-forwarded-proto", ["https"]],
  ["cookie", ["a=1; svc_side=x", "svc_deployment=00000000-0000-7000-8000-000000000000"]],
  ["x-deployment-id", ["00000000-0000-7000-8000-000000000000"]],
  ["x-forwarded-for", ["203.0.113.9"]],
  ["x-forwarded-host", ["other.localhost"]],
  ["sec-fetch-dest", ["document", "script"]],
  ["connection", ["close", "close, x-deny"]],
  ["user-agent", ["curl/8.0", "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X)"]],
];

const anyHeaders = fc.subarray([...HEADERS.keys()], { maxLength: 4 }).chain((chosen) =>
  fc.tuple(...chosen.map((at) => fc.constantFrom(...HEADERS[at]![1])))
    .map((values) =>
      Object.fromEntries(chosen.map((at, index) => [HEADERS[at]![0], values[index]!]))
    )
);
const anyRequest = fc.record({
  method: fc.constantFrom("GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "DELETE", "PUT"),
  host: fc.constantFrom(
    HOST,
    HOST,
    CACHED,
    CACHED,
    "closed.localhost",
    "none.localhost",
    "localhost",
  ),
  path: fc.tuple(fc.constantFrom(...PATHS), fc.constantFrom("", "", "?", "?a=1", "?dpl=x"))
    .map((parts) => parts.join("")),
  headers: anyHeaders,
});

const OWN = [
  "x-count",
  "age",
  "date",
  "x-svc-edge",
  "x-svc-request-id",
  "connection",
  "keep-alive",
];

/** Matches sign-in and page tokens, which are different in every response. */
const RANDOM = /(svc_access_browser=|\?request=|nonce[-=]"?|name="csrf" value=")[\w+/=-]+/g;

/** Returns the parts of a response that must be the same, without IDs. */
function comparable({ status, headers, text }: Answer) {
  const id = String(headers["x-svc-request-id"] ?? "no id");
  // The length varies because IDs differ in length. The response to HEAD has the page's length.
  const hasId = text.includes(id) || text.includes('"requestId"') || (status >= 400 && text === "");
  const kept = Object.entries(headers).filter(([name]) =>
    !OWN.includes(name) && !(hasId && name === "content-length")
  ).sort();
  const fields = JSON.stringify(kept).replaceAll(RANDOM, "$1ID").replaceAll(/id=\d+/g, "id=N")
    .replaceAll(/ttl=-?\d+/g, "ttl=N")
    // Pages with a one-second lifetime expire between two requests.
    .replaceAll('"STALE"', '"HIT"');
  const body = text.replaceAll(id, "ID").replaceAll(RANDOM, "$1ID").replaceAll(
    /"requestId":"[^"]+"/g,
    "ID",
  )
    .replaceAll(/\r\n--[0-9a-f]+/g, "--");
  return { status, fields, body };
}

async function furnish(platform: TestPlatform): Promise<void> {
  await createProject(platform, "shop");
  await createProject(platform, "closed");
  const files = {
    ...FILES,
    "docs/index.html": "docs",
    "app.js": "let a = 1;\n".repeat(500),
    "403.html": "denied",
    "large.txt": "0123456789".repeat(200_000),
  };
  await deploy(platform, "shop", { manifest: MANIFEST, files, rules: RULES });
  await createProject(platform, "cached");
  await deployCached(platform, "cached");
  await deploy(platform, "closed", { files: { "index.html": "for members" } });
  const closed = await platform.api("PATCH", "/v1/projects/closed/previews", {
    json: { protection: "all" },
  });
  assert.equal(closed.status, 200, JSON.stringify(closed.json));
}

async function comparesAlike(platform: TestPlatform, edge: TestEdge): Promise<void> {
  await fc.assert(
    fc.asyncProperty(anyRequest, async (request) => {
      let direct = await rawRequest(platform.port, request);
      // When a page is requested for the first time, it is cached.
      if (direct.headers["x-svc-cache"] === "MISS") {
        direct = await rawRequest(platform.port, request);
      }
      const through = await rawRequest(edge.port, request);
      assert.equal(through.headers["x-svc-edge"], "far");
      assert.deepEqual(comparable(through), comparable(direct));
    }),
    { numRuns: RUNS },
  );
  assert.equal((await edge.get(HOST, "/")).text, "static home");
  await until(async () => (await edge.get(CACHED, "/pages/last")).headers["x-svc-cache"] === "HIT");
}

Deno.test("a front edge responds to generated requests like the platform", () =>
  withPlatform(async (platform) => {
    await furnish(platform);
    const edge = await addEdge(platform, "far");
    try {
      await comparesAlike(platform, edge);
      // The edge and the platform count a client's requests together.
      const limited = [];
      for (let at = 0; at < 4; at++) {
        limited.push((await (at % 2 === 0 ? edge : platform).get(HOST, "/limited")).status);
      }
      assert.deepEqual(limited.map((status) => status === 429), [false, false, false, true]);
      // A file is fetched by its hash, only once, and stored on the edge's disk.
      const hash = sha256("static home");
      const file = join(edge.cacheDir, await projectOf(platform), hash.slice(0, 2), hash);
      assert.equal(await Deno.readTextFile(file), "static home");
    } finally {
      await edge.kill();
    }
  }));

async function projectOf(platform: TestPlatform): Promise<string> {
  return (await platform.api("GET", "/v1/projects/shop")).json.id;
}

Deno.test("a deployment, its rules and its protection are on the edge when the platform responds", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    const edge = await addEdge(platform, "far");
    try {
      for (let version = 1; version <= 8; version++) {
        await deploy(platform, "shop", { files: { "index.html": `version ${version}` } });
        const { text, headers } = await edge.get(HOST, "/");
        assert.equal(text, `version ${version}`);
        assert.equal(headers["x-svc-edge"], "far");
      }
      const back = await platform.api("POST", "/v1/projects/shop/rollback", { json: {} });
      assert.equal(back.status, 200, JSON.stringify(back.json));
      assert.equal((await edge.get(HOST, "/")).text, "version 7");
      for (const protection of ["all", "off"] as const) {
        const access = await platform.api("PATCH", "/v1/projects/shop/previews", {
          json: { protection },
        });
        assert.equal(access.status, 200);
        const isOpen = (await edge.get(HOST, "/")).text === "version 7";
        assert.equal(isOpen, protection === "off", protection);
      }
      const { items } = (await platform.api("GET", "/v1/edges")).json;
      const { state, address } = items.find(({ name }: { name: string }) => name === "far");
      assert.deepEqual([state, address], ["connected", "127.0.0.1"]);
      // When a key is removed, the edge's session is closed, and its relayed requests are aborted.
      assert.equal((await platform.api("DELETE", "/v1/edges/far")).status, 204);
      await until(async () => (await edge.get(HOST, "/")).headers["x-svc-edge"] === "far; lost");
      await until(async () => (await edge.get(HOST, "/missing")).status === 503);
    } finally {
      await edge.kill();
    }
  }));

Deno.test("without the platform, the edge serves its cached content and catches up later", () =>
  inTestFolder(async (folder) => {
    const dataDir = join(folder, "data");
    let platform = await start(dataDir);
    let edge: TestEdge | undefined;
    try {
      await createProject(platform, "shop");
      await deploy(platform, "shop", { files: { "index.html": "one" } });
      edge = await addEdge(platform, "far");
      assert.equal((await edge.get(HOST, "/")).text, "one");
      const { port } = platform;
      await platform.shutdown();
      const { text, headers } = await until(
        () => edge!.get(HOST, "/"),
        ({ headers }) => headers["x-svc-edge"] === "far; lost",
      );
      assert.equal(text, "one");
      assert.equal(headers["x-svc-edge"], "far; lost");
      const passed = await edge.get(HOST, "/missing");
      assert.equal(passed.status, 503);
      assert.ok(passed.headers["retry-after"]);
      platform = await start(dataDir, { port });
      await until(async () => (await edge!.get(HOST, "/")).headers["x-svc-edge"] === "far");
      await deploy(platform, "shop", { files: { "index.html": "two" } });
      assert.equal((await edge.get(HOST, "/")).text, "two");
    } finally {
      await edge?.kill();
      await platform.shutdown();
    }
  }));

/** Returns the first line of the response to a path with raw UTF-8. */
async function askForUmlaut(port: number): Promise<string | undefined> {
  const connection = await Deno.connect({ hostname: "127.0.0.1", port });
  const head = `GET /api/\u00fc HTTP/1.1\r\nhost: ${HOST}\r\nconnection: close\r\n\r\n`;
  await connection.write(new TextEncoder().encode(head));
  return (await new Response(connection.readable).text()).split("\r\n")[0];
}

Deno.test("a front edge relays WebSockets, event streams and uploads", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await createProject(platform, "talk");
    await deployServer(platform, "shop", {});
    await deployServer(platform, "talk", { ...SOCKET_SITE, rules: TALK_RULES });
    const edge = await addEdge(platform, "far");
    try {
      const socket = new WebSocket(`ws://127.0.0.1:${edge.port}/chat`, ["chat", "echo"], {
        headers: { host: "talk.localhost" },
      });
      const upgraded = new Promise<IncomingMessage>((resolve) => socket.once("upgrade", resolve));
      await new Promise((resolve, reject) => {
        socket.once("open", resolve);
        socket.once("error", reject);
      });
      assert.equal(socket.protocol, "echo");
      assert.equal((await upgraded).headers["x-talk"], "yes");
      const echo = new Promise<string>((resolve) =>
        socket.once("message", (data) => resolve(String(data)))
      );
      socket.send("hello ✓");
      assert.equal(await echo, "hello ✓");
      const closed = new Promise<number>((resolve) => socket.once("close", resolve));
      socket.send("bye");
      assert.equal(await closed, 4001);

      const rawLines = await Promise.all([platform.port, edge.port].map(askForUmlaut));
      assert.match(rawLines[0]!, /^HTTP\/1\.1 [24]/);
      assert.equal(rawLines[1], rawLines[0]);

      const upload = "x".repeat(300_000);
      const hashed = await rawRequest(edge.port, {
        method: "POST",
        host: HOST,
        path: "/api/hash",
        body: upload,
      });
      assert.equal(hashed.text, sha256(upload));

      const echoed = JSON.parse(
        (await edge.get(HOST, "/api/echo?a=1", { "x-forwarded-for": "203.0.113.9" })).text,
      );
      assert.equal(echoed.url, "/api/echo?a=1");
      assert.equal(echoed.headers["x-forwarded-for"], "127.0.0.1");
      assert.equal(echoed.headers["x-svc-edge-relay"], undefined);

      const events = await Deno.connect({ hostname: "127.0.0.1", port: edge.port });
      const asked = `GET /api/events HTTP/1.1\r\nhost: ${HOST}\r\n\r\n`;
      await events.write(new TextEncoder().encode(asked));
      let text = "";
      for await (const part of events.readable.pipeThrough(new TextDecoderStream())) {
        text += part;
        if (text.includes("data: 3\n")) break;
      }
      assert.match(text, /^HTTP\/1\.1 200 OK\r\n[^]*data: 3\n/);
    } finally {
      await edge.kill();
    }
  }));

Deno.test("forged, altered, old and repeated signatures are refused", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "home" } });
    const { json: { key } } = await platform.api("POST", "/v1/edges", { json: { name: "far" } });
    const base = `http://127.0.0.1:${platform.port}/_svc/edges/1`;
    const authorization = `Bearer ${key}`;
    for (const wrong of ["", "Bearer ", `Bearer ${key}x`, "Bearer svce_nothing"]) {
      const refused = await fetch(`${base}/feed`, { headers: { authorization: wrong } });
      assert.equal(refused.status, 401, wrong);
      await refused.body?.cancel();
    }
    const feed = await fetch(`${base}/feed`, { headers: { authorization } });
    const reader = feed.body!.pipeThrough(new TextDecoderStream()).getReader();
    const hello = JSON.parse((await reader.read()).value!.split("\n")[0]!);
    const secret = Buffer.from(hello.secret, "base64");
    let number = 0;
    const send = (
      given: Partial<Record<"ip" | "target" | "edge" | "time" | "secret", unknown>>,
    ) => {
      const { ip = "203.0.113.9", target = `${HOST}/`, edge = "far", time = Date.now() } = given;
      const facts = [edge, hello.session, ++number, time, "http", ip].join(" ");
      const signature = createHmac("sha256", (given.secret ?? secret) as Buffer)
        .update(`${facts}\nGET ${target}`).digest("hex");
      return { "x-svc-edge-relay": facts, "x-svc-edge-signature": signature };
    };
    const statusOf = async (headers: Record<string, string>, at = "/") =>
      (await platform.get(HOST, at, headers)).status;
    const good = send({});
    assert.equal(await statusOf(good), 200);
    assert.equal(await statusOf(good), 403, "repeated");
    assert.equal(await statusOf(send({}), "/other"), 403, "another path");
    assert.equal(await statusOf(send({ secret: Buffer.alloc(32) })), 403, "another secret");
    assert.equal(await statusOf(send({ time: Date.now() - 120_000 })), 403, "old");
    assert.equal(await statusOf(send({ time: Date.now() + 120_000 })), 403, "from the future");
    assert.equal(await statusOf(send({ edge: "near" })), 403, "another edge");
    assert.equal(await statusOf({ ...send({}), "x-svc-edge-relay": "nonsense" }), 403, "nonsense");
    assert.equal(await statusOf(send({})), 200);
    // An edge cannot get a file that belongs to another project or is not part of the site.
    const shop = (await platform.api("GET", "/v1/projects/shop")).json;
    const of = `${shop.id}/${shop.productionDeploymentId}`;
    const file = async (hash: string) => {
      const answer = await fetch(`${base}/blobs/${of}/${hash}`, { headers: { authorization } });
      await answer.body?.cancel();
      return answer.status;
    };
    assert.equal(await file(sha256("home")), 200);
    assert.equal(await file(sha256("something else")), 404);
    // The feed contains no keys, and the platform stores the edge's key as a hash.
    await reader.cancel();
    const { json: { items } } = await platform.api("GET", "/v1/edges");
    assert.ok(!JSON.stringify(items).includes(key));
  }));

Deno.test("a damaged file is fetched again, and an invalid key ends the command", () =>
  withPlatform(async (platform) => {
    await createProject(platform, "shop");
    await deploy(platform, "shop", { files: { "index.html": "home", "a.txt": "text" } });
    const edge = await addEdge(platform, "far");
    try {
      const hash = sha256("text");
      const file = join(edge.cacheDir, await projectOf(platform), hash.slice(0, 2), hash);
      await Deno.mkdir(dirname(file), { recursive: true });
      await Deno.writeTextFile(file, "evil");
      await edge.get(HOST, "/a.txt");
      assert.equal((await edge.get(HOST, "/a.txt")).text, "text");
      await assert.rejects(
        startEdge({ name: "far", key: "svce_wrong", join: `http://127.0.0.1:${platform.port}` }),
        /does not accept the key/,
      );
    } finally {
      await edge.kill();
    }
  }));
