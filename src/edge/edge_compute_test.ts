import assert from "node:assert/strict";
import type { Manifest } from "../manifest/mod.ts";
import type { Rule } from "../rules/mod.ts";
import type { ComputeFailure } from "../runtime/mod.ts";
import { computeOf, type ComputeWorld, type TestServer } from "./_test_compute.ts";
import { functionsOf, type TestFunction } from "./_test_dynamic.ts";
import { testEdge, testSite } from "./_test_site.ts";

type Routes = Manifest["routes"];

const LAYERS: Manifest["layers"] = [
  { name: "files", target: "STATIC", directory: "." },
  { name: "server", target: "COMPUTE", directory: "server", entry: "server/main.mjs" },
  { name: "second", target: "COMPUTE", directory: "second", entry: "second/main.mjs" },
];

const FILES = {
  "index.html": "home",
  "404.html": "no page",
  "form.html": "form",
  "server/main.mjs": "secret source",
  "second/main.mjs": "secret source",
};

/** The manifest that the CLI generates: files first, then the server. */
const FILES_FIRST: Routes = [
  { pattern: "^/.*$", layer: "files", priority: 10 },
  { pattern: "^/.*$", layer: "server" },
];

interface World extends ComputeWorld {
  readonly routes?: Routes;
  readonly rules?: readonly Rule[];
  readonly functions?: Readonly<Record<string, TestFunction>>;
}

function edgeWith(servers: Readonly<Record<string, TestServer>>, world: World = {}) {
  const compute = computeOf(servers, world);
  const { site } = testSite(FILES, {
    manifest: { version: 1, layers: LAYERS, routes: world.routes ?? FILES_FIRST },
    compute,
    ...(world.rules === undefined ? {} : { rules: world.rules }),
    ...(world.functions === undefined ? {} : { functions: functionsOf(world.functions) }),
  });
  return { ...testEdge(site), compute };
}

const hello: TestServer = () => new Response("hello");

Deno.test("a server responds if there is no file, and server files are not served", async () => {
  const edge = edgeWith({ server: hello });
  assert.equal(await (await edge.fetch("/")).text(), "home");
  assert.equal(edge.compute.asked.length, 0);
  for (const path of ["/api", "/server/main.mjs", "/second/main.mjs"]) {
    assert.equal(await (await edge.fetch(path)).text(), "hello", path);
  }
});

Deno.test("a server gets method, path, query, headers, body and client address", async () => {
  const edge = edgeWith({
    server: async (request) => new Response(`got ${await request.text()}`),
  });
  const response = await edge.fetch("http://site.test:8080/a/./b%41?x=%2F&y", {
    method: "POST",
    body: "data",
    from: "192.0.2.7",
    headers: {
      cookie: "a=1",
      range: "bytes=0-1",
      "if-none-match": '"x"',
      "x-forwarded-for": "6.6.6.6",
      forwarded: "for=6.6.6.6",
      "transfer-encoding": "chunked",
      connection: "x-hop",
      "x-hop": "1",
    },
  });
  assert.equal(await response.text(), "got data");
  const { method, target, headers, requestId } = edge.compute.asked[0]!;
  assert.deepEqual([method, target, requestId], ["POST", "/a/bA?x=%2F&y", "r1"]);
  const fields = Object.fromEntries(headers);
  assert.equal(headers.length, Object.keys(fields).length);
  assert.deepEqual(fields, {
    host: "site.test:8080",
    "x-forwarded-for": "192.0.2.7",
    "x-forwarded-host": "site.test:8080",
    "x-forwarded-proto": "http",
    "x-svc-request-id": "r1",
    "x-request-id": "r1",
    "content-type": "text/plain;charset=UTF-8",
    cookie: "a=1",
    range: "bytes=0-1",
    "if-none-match": '"x"',
  });
});

Deno.test("a server gets an unencoded query in the form that a request line can contain", async () => {
  const routes = [{ pattern: "^/pages/", layer: "server", revalidate: 60, priority: 20 }];
  const edge = edgeWith({ server: hello }, { routes: [...routes, ...FILES_FIRST] });
  for (const path of ["/search", "/pages/search"]) {
    assert.equal((await edge.fetch(`${path}?q=zürich €`)).status, 200);
  }
  assert.deepEqual(edge.compute.asked.map(({ target }) => target), [
    "/search?q=z%C3%BCrich%20%E2%82%AC",
    "/pages/search?q=z%C3%BCrich%20%E2%82%AC",
  ]);
});

Deno.test("a response keeps its headers, except hop-by-hop and edge headers", async () => {
  const edge = edgeWith({
    server: () => {
      const headers = new Headers({
        "content-encoding": "br",
        "x-svc-request-id": "forged",
        "keep-alive": "timeout=5",
      });
      headers.append("set-cookie", "a=1");
      headers.append("set-cookie", "b=2");
      return new Response("x", { status: 201, headers });
    },
  });
  const response = await edge.fetch("/api");
  assert.equal(response.status, 201);
  assert.deepEqual(response.headers.getSetCookie(), ["a=1", "b=2"]);
  assert.equal(response.headers.get("content-encoding"), "br");
  assert.equal(response.headers.get("x-svc-request-id"), "r1");
  assert.equal(response.headers.get("x-svc-deployment"), "deployment-1");
  assert.equal(response.headers.get("keep-alive"), null);
});

const CONTENTLESS = [
  ["HEAD", 200],
  ["HEAD", 204],
  ["HEAD", 304],
  ["GET", 204],
  ["GET", 304],
] as const;

for (const [method, status] of CONTENTLESS) {
  Deno.test(`a response to ${method} with ${status} has no body`, async () => {
    const edge = edgeWith({
      server: () => new Response(null, { status, headers: { etag: '"e"' } }),
    });
    const response = await edge.fetch("/api", { method });
    assert.deepEqual([response.status, await response.text()], [status, ""]);
    assert.equal(response.headers.get("etag"), '"e"');
  });
}

Deno.test("a response is streamed as it arrives", async () => {
  let controller: ReadableStreamDefaultController<Uint8Array>;
  const edge = edgeWith({
    server: () => new Response(new ReadableStream({ start: (given) => void (controller = given) })),
  });
  const reader = (await edge.fetch("/events")).body!.getReader();
  for (const text of ["one", "two"]) {
    controller!.enqueue(new TextEncoder().encode(text));
    assert.equal(new TextDecoder().decode((await reader.read()).value), text);
  }
  await reader.cancel();
});

const FAILURES: readonly (readonly [ComputeFailure, number])[] = [
  ["timeout", 504],
  ["overloaded", 503],
  ["crashed", 502],
  ["memory", 502],
  ["cannot_start", 502],
  ["invalid_response", 502],
];

for (const [reason, status] of FAILURES) {
  for (
    const rules of [undefined, [{ id: "c", action: { type: "cache", ttlSeconds: 9 } }] as const]
  ) {
    const how = rules === undefined ? "" : " behind the cache";
    Deno.test(`a server that fails with ${reason} results in a plain ${status}${how}`, async () => {
      const edge = edgeWith({ server: () => reason }, rules === undefined ? {} : { rules });
      const response = await edge.fetch("/api");
      const text = await response.text();
      assert.equal(response.status, status);
      assert.equal(response.headers.get("retry-after"), reason === "overloaded" ? "1" : null);
      assert.match(text, /\(r1\)/);
      assert.doesNotMatch(text, /as the test requires|server"/);
      assert.equal(
        edge.records[0]!.error,
        `Server "server" failed: ${reason}: as the test requires`,
      );
      assert.deepEqual(edge.errors, []);
    });
  }
}

const TWO_SERVERS: Routes = [
  { pattern: "^/.*$", layer: "server", priority: 2, fallthrough: true },
  { pattern: "^/api/.*$", layer: "second", priority: 1 },
  { pattern: "^/.*$", layer: "files" },
];
const nowhere: TestServer = () => new Response("no such page of mine", { status: 404 });

Deno.test("a 404 continues with the next route if the route falls through", async () => {
  const edge = edgeWith({ server: nowhere, second: hello }, { routes: TWO_SERVERS });
  assert.equal(await (await edge.fetch("/api/x")).text(), "hello");
  assert.equal(await (await edge.fetch("/form")).text(), "form");
  const missing = await edge.fetch("/none");
  assert.deepEqual([missing.status, await missing.text()], [404, "no page"]);
});

Deno.test("a body that one server received cannot be sent to another", async () => {
  const edge = edgeWith({ server: nowhere, second: hello }, { routes: TWO_SERVERS });
  const post = async (path: string, body: string | null) => {
    const response = await edge.fetch(path, { method: "POST", body });
    return `${response.status} ${await response.text()}`;
  };
  assert.equal(await post("/api/x", "data"), "404 no such page of mine");
  assert.equal(await post("/api/x", null), "200 hello");
  assert.match(await post("/form", "data"), /^405 /);
});

Deno.test("a 404 is final if the route does not fall through", async () => {
  const response = await edgeWith({ server: nowhere }).fetch("/none");
  assert.deepEqual([response.status, await response.text()], [404, "no such page of mine"]);
});

Deno.test("a request other than GET or HEAD skips a file and reaches the server behind it", async () => {
  const edge = edgeWith({ server: hello });
  assert.equal(await (await edge.fetch("/form")).text(), "form");
  assert.equal(await (await edge.fetch("/form", { method: "POST", body: "x" })).text(), "hello");
  assert.equal(await (await edge.fetch("/form", { method: "OPTIONS" })).text(), "hello");
});

Deno.test("a route only matches requests with its methods", async () => {
  const edge = edgeWith({ server: hello }, {
    routes: [{ pattern: "^/.*$", layer: "server", methods: ["POST"] }],
  });
  assert.equal((await edge.fetch("/api")).status, 404);
  assert.equal((await edge.fetch("/api", { method: "POST" })).status, 200);
});

Deno.test("rules apply to servers: deny, rewrite, header edits", async () => {
  const edge = edgeWith({ server: hello }, {
    rules: [
      {
        id: "deny",
        condition: { path: { type: "prefix", value: "/admin" } },
        action: { type: "deny" },
      },
      {
        id: "rewrite",
        condition: { path: { type: "glob", value: "/old/{rest...}" } },
        action: { type: "rewrite", target: "/new/{rest}?from=old" },
      },
      { id: "set", action: { type: "set_headers", headers: { "x-edge": "yes" } } },
    ],
  });
  assert.equal((await edge.fetch("/admin/x")).status, 403);
  const response = await edge.fetch("/old/a?q=1");
  assert.equal(response.headers.get("x-edge"), "yes");
  assert.deepEqual(edge.compute.asked.map(({ target }) => target), ["/new/a?from=old&q=1"]);
});

Deno.test("a cache rule stores a server's responses, and an unsafe request invalidates them", async () => {
  let count = 0;
  const edge = edgeWith({ server: () => new Response(`${++count}`) }, {
    rules: [{
      id: "cache",
      condition: { methods: ["GET"] },
      action: { type: "cache", ttlSeconds: 60 },
    }],
  });
  const get = async () => await (await edge.fetch("/api")).text();
  assert.deepEqual([await get(), await get()], ["1", "1"]);
  assert.equal(await (await edge.fetch("/api", { method: "POST", body: "x" })).text(), "2");
  assert.equal(await get(), "3");
});

Deno.test("a pipeline ends at the server, and its steps see the response", async () => {
  const edge = edgeWith({ server: (request) => new Response(request.headers.get("x-step")) }, {
    rules: [{
      id: "pipeline",
      action: {
        type: "pipeline",
        steps: [
          { use: "add", mode: "request" },
          { handle: "origin" },
          { use: "mark", mode: "response" },
        ],
      },
    }],
    functions: {
      add: (request) => {
        const headers = new Headers(request.headers);
        headers.set("x-step", "was here");
        return new Request(request, { headers });
      },
      mark: async (_, { response }) => new Response(`<${await response!.text()}>`),
    },
  });
  assert.equal(await (await edge.fetch("/api")).text(), "<was here>");
});

Deno.test("a server can decline an upgrade, and rules apply before the server", async () => {
  const upgrade = {
    upgrade: "websocket",
    connection: "Upgrade",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
    "sec-websocket-protocol": "chat",
  };
  const edge = edgeWith({ server: hello }, {
    rules: [{
      id: "deny",
      condition: { path: { type: "exact", value: "/no" } },
      action: { type: "deny" },
    }],
  });
  assert.equal((await edge.fetch("/no", { headers: upgrade })).status, 403);
  assert.equal((await edge.fetch("/chat", { headers: upgrade })).status, 426);
  const names = edge.compute.asked[0]!.headers.map(([name]) => name);
  assert.ok(names.includes("sec-websocket-protocol"));
  for (const name of ["upgrade", "connection", "sec-websocket-key"]) {
    assert.ok(!names.includes(name), name);
  }
  const { "sec-websocket-key": _, ...half } = upgrade;
  assert.equal(await (await edge.fetch("/chat", { headers: half })).text(), "hello");
});

Deno.test("a site whose servers do not run here returns 501", async () => {
  const { site } = testSite(FILES, {
    manifest: { version: 1, layers: LAYERS, routes: FILES_FIRST },
  });
  assert.equal((await testEdge(site).fetch("/api")).status, 501);
});
