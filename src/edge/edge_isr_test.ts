import assert from "node:assert/strict";
import type { Rule } from "../rules/mod.ts";
import { computeOf, MemoryIsrStore, type TestServer } from "./_test_compute.ts";
import { testEdge, testSite } from "./_test_site.ts";

const START = Date.UTC(2026, 0, 1);

interface World {
  readonly store?: MemoryIsrStore;
  readonly fallthrough?: boolean;
  readonly rules?: readonly Rule[];
  readonly startAt?: number;
}

/** Returns a site whose server responds to `/…` with pages that stay fresh for a minute. */
function pagesEdge(server: TestServer, world: World = {}) {
  let now = world.startAt ?? START;
  const store = world.store ?? new MemoryIsrStore();
  const compute = computeOf({ server }, { now: () => now, store });
  const { site } = testSite({ "server/main.mjs": "", "fallback.html": "file" }, {
    manifest: {
      version: 1,
      layers: [
        { name: "server", target: "COMPUTE", directory: "server", entry: "server/main.mjs" },
        { name: "files", target: "STATIC", directory: "." },
      ],
      routes: [
        {
          pattern: "^/.*$",
          layer: "server",
          priority: 1,
          revalidate: 60,
          ...(world.fallthrough === undefined ? {} : { fallthrough: world.fallthrough }),
        },
        { pattern: "^/.*$", layer: "files" },
      ],
    },
    compute,
    ...(world.rules === undefined ? {} : { rules: world.rules }),
  });
  const edge = testEdge(site, { now: () => now });
  /** Returns the status, cache status, and text. */
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await edge.fetch(path, init);
    return `${response.headers.get("x-svc-cache")} ${await response.text()}`;
  };
  /** Waits until background work has finished. */
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { ...edge, get, settle, store, compute, wait: (seconds: number) => now += seconds * 1000 };
}

const counting = (): TestServer => {
  let count = 0;
  return () => new Response(`page ${++count}`);
};

Deno.test("a page is stored, served stale when it is old, and refreshed in the background", async () => {
  const edge = pagesEdge(counting());
  assert.equal(await edge.get("/"), "MISS page 1");
  await edge.settle();
  edge.wait(59);
  const hit = await edge.fetch("/");
  assert.deepEqual(
    ["x-svc-cache", "age", "cache-control", "cache-status"].map((name) => hit.headers.get(name)),
    ["HIT", "59", "public, max-age=0, must-revalidate", "svc; hit; ttl=1"],
  );
  assert.equal(await hit.text(), "page 1");
  edge.wait(1);
  assert.equal(await edge.get("/"), "STALE page 1");
  await edge.settle();
  assert.equal(await edge.get("/"), "HIT page 2");
  assert.equal(edge.compute.asked.length, 2);
});

Deno.test("many concurrent requests share the first fetch, and share a refresh", async () => {
  const gate = Promise.withResolvers<void>();
  let count = 0;
  const edge = pagesEdge(async () => {
    count++;
    await gate.promise;
    return new Response(`page ${count}`);
  });
  const first = Array.from({ length: 20 }, () => edge.get("/"));
  gate.resolve();
  const answers = await Promise.all(first);
  assert.equal(answers.filter((answer) => answer === "MISS page 1").length, 1);
  assert.equal(answers.filter((answer) => answer === "HIT page 1").length, 19);
  edge.wait(100);
  const stale = await Promise.all(Array.from({ length: 20 }, () => edge.get("/")));
  assert.ok(stale.every((answer) => answer === "STALE page 1"));
  await edge.settle();
  assert.equal(count, 2);
});

Deno.test("a refresh that fails keeps the page and its age, and is tried again", async () => {
  let mode: "ok" | "crash" | "error" = "ok";
  const edge = pagesEdge(() => {
    if (mode === "crash") return "crashed";
    return mode === "error" ? new Response("broken", { status: 500 }) : new Response("fine");
  });
  await edge.get("/");
  await edge.settle();
  for (const failing of ["crash", "error"] as const) {
    mode = failing;
    edge.wait(100);
    assert.equal(await edge.get("/"), "STALE fine");
    await edge.settle();
    const asked = edge.compute.asked.length;
    assert.equal(await edge.get("/"), "STALE fine");
    await edge.settle();
    assert.equal(edge.compute.asked.length, asked, "no immediate second attempt");
  }
  const aged = await edge.fetch("/");
  assert.equal(aged.headers.get("age"), "200");
  mode = "ok";
  edge.wait(10);
  assert.equal(await edge.get("/"), "STALE fine");
  await edge.settle();
  assert.equal(await edge.get("/"), "HIT fine");
  assert.equal(edge.compute.errors.length, 2);
});

Deno.test("a failed first fetch stores nothing, and each visitor's request retries it", async () => {
  let isBroken = true;
  const edge = pagesEdge(() => isBroken ? "timeout" : new Response("fine"));
  assert.equal((await edge.fetch("/")).status, 504);
  isBroken = false;
  assert.equal(await edge.get("/"), "MISS fine");
});

Deno.test("the age of a slow page is counted from the request", async () => {
  const edge = pagesEdge(() => {
    edge.wait(50);
    return new Response("slow");
  });
  await edge.get("/");
  await edge.settle();
  assert.equal(await edge.get("/"), "HIT slow");
  edge.wait(10);
  assert.equal(await edge.get("/"), "STALE slow");
});

Deno.test("pages survive a restart, with their age", async () => {
  const store = new MemoryIsrStore();
  const before = pagesEdge(counting(), { store });
  await before.get("/a?x=1");
  await before.settle();
  const after = pagesEdge(() => new Response("new"), { store, startAt: START + 30_000 });
  assert.equal(await after.get("/a?x=1"), "HIT page 1");
  assert.equal(store.reads, 1);
  assert.equal(await after.get("/a?x=1"), "HIT page 1");
  assert.equal(await after.get("/other"), "MISS new");
  assert.equal(store.reads, 1, "a missing page causes no disk access");
  after.wait(40);
  assert.equal(await after.get("/a?x=1"), "STALE page 1");
});

Deno.test("a damaged page counts as missing", async () => {
  const store = new MemoryIsrStore();
  const before = pagesEdge(counting(), { store });
  await before.get("/");
  await before.settle();
  for (const [name, bytes] of store.pages) store.pages.set(name, bytes.slice(0, -1));
  assert.equal(await pagesEdge(() => new Response("new"), { store }).get("/"), "MISS new");
});

Deno.test("if the clock is set back, a page is stale, not fresh forever", async () => {
  const edge = pagesEdge(counting());
  await edge.get("/");
  await edge.settle();
  edge.wait(-3600);
  assert.equal(await edge.get("/"), "STALE page 1");
});

Deno.test("the request for a page contains nothing about the client", async () => {
  const edge = pagesEdge(counting());
  await edge.get("/?b=2&a=1", {
    method: "HEAD",
    headers: {
      cookie: "session=1",
      "user-agent": "me",
      "accept-language": "de",
      range: "bytes=0-1",
      "if-none-match": "*",
      accept: "text/html,application/xhtml+xml",
    },
  });
  const { method, target, headers, signal } = edge.compute.asked[0]!;
  assert.deepEqual([method, target, signal], ["GET", "/?a=1&b=2", undefined]);
  assert.deepEqual(Object.fromEntries(headers), {
    host: "site.test",
    "x-forwarded-host": "site.test",
    "x-forwarded-proto": "http",
    "x-svc-request-id": "r1",
    "x-request-id": "r1",
    accept: "text/html,*/*;q=0.8",
    "user-agent": "svc-pages",
  });
  await edge.settle();
  const asHtml = { headers: { accept: "text/html" } };
  assert.equal(await edge.get("/?a=1&b=2", asHtml), "HIT page 1");
  assert.equal(await edge.get("/?a=1&b=2"), "MISS page 2");
  assert.equal(await edge.get("/?a=2&b=1"), "MISS page 3");
});

Deno.test("a client with credentials gets a separate response", async () => {
  const edge = pagesEdge(counting());
  await edge.get("/");
  await edge.settle();
  const headers = { authorization: "Basic x", cookie: "a=1" };
  assert.equal(await edge.get("/", { headers }), "BYPASS page 2");
  assert.ok(edge.compute.asked[1]!.headers.some(([name]) => name === "cookie"));
  assert.equal(await edge.get("/"), "HIT page 1");
});

Deno.test("a private page is requested for each client", async () => {
  const edge = pagesEdge((request) => {
    const name = request.headers.get("cookie") ?? "nobody";
    return new Response(`hello ${name}`, { headers: { vary: "cookie" } });
  });
  const as = (cookie: string) => edge.get("/me", { headers: { cookie } });
  assert.equal(await as("ann"), "BYPASS hello ann");
  assert.equal(await as("bob"), "BYPASS hello bob");
  assert.equal(edge.compute.asked.length, 3, "the page is not requested again immediately");
  assert.equal(edge.store.pages.size, 0);
});

Deno.test("a page that became private is removed", async () => {
  let isPrivate = false;
  const edge = pagesEdge(() => {
    const headers: HeadersInit = isPrivate ? { "set-cookie": "a=1" } : {};
    return new Response(isPrivate ? "mine" : "ours", { headers });
  });
  await edge.get("/");
  await edge.settle();
  assert.equal(edge.store.pages.size, 1);
  isPrivate = true;
  edge.wait(60);
  assert.equal(await edge.get("/"), "STALE ours");
  await edge.settle();
  assert.equal(edge.store.pages.size, 0);
  assert.equal(await edge.get("/"), "BYPASS mine");
});

Deno.test("a page that no longer exists returns a 404 until it exists again", async () => {
  let isThere = true;
  const edge = pagesEdge(() =>
    isThere ? new Response("page") : new Response("gone", { status: 404 })
  );
  const state = async () => {
    const { status, headers } = await edge.fetch("/");
    await edge.settle();
    return `${status} ${headers.get("x-svc-cache")}`;
  };
  assert.equal(await state(), "200 MISS");
  isThere = false;
  edge.wait(60);
  assert.deepEqual([await state(), await state()], ["200 STALE", "404 HIT"]);
  isThere = true;
  edge.wait(60);
  assert.deepEqual([await state(), await state()], ["404 STALE", "200 HIT"]);
});

Deno.test("a 404 that falls through is not stored", async () => {
  const edge = pagesEdge(() => new Response("no", { status: 404 }), { fallthrough: true });
  for (let round = 0; round < 2; round++) {
    assert.equal(await (await edge.fetch("/fallback")).text(), "file");
  }
  assert.equal(edge.store.pages.size, 0);
});

Deno.test("a stored page serves HEAD, conditions and ranges", async () => {
  const edge = pagesEdge(() => new Response("0123456789"));
  const first = await edge.fetch("/");
  await first.text();
  await edge.settle();
  const head = await edge.fetch("/", { method: "HEAD" });
  assert.deepEqual([head.headers.get("content-length"), await head.text()], ["10", ""]);
  const etag = head.headers.get("etag")!;
  const same = await edge.fetch("/", { headers: { "if-none-match": etag } });
  assert.deepEqual([same.status, await same.text()], [304, ""]);
  const part = await edge.fetch("/", { headers: { range: "bytes=2-4" } });
  assert.deepEqual([part.status, await part.text()], [206, "234"]);
  assert.equal(edge.compute.asked.length, 1);
});

Deno.test("a body that ends early, or is longer than declared, is not stored", async () => {
  let length = "5";
  const edge = pagesEdge(() => new Response("longer", { headers: { "content-length": length } }));
  await edge.fetch("/").then((response) => response.text()).catch(() => {});
  await edge.settle();
  assert.equal(edge.store.pages.size, 0);
  length = "6";
  assert.equal(await edge.get("/"), "MISS longer");
});

for (
  const [scope, left] of [
    [{ type: "all" }, []],
    [{ type: "path", path: "/blog/a" }, ["/", "/blog/b"]],
    [{ type: "prefix", prefix: "/blog/" }, ["/"]],
  ] as const
) {
  Deno.test(`a purge of ${JSON.stringify(scope)} drops pages in memory and on disk`, async () => {
    const store = new MemoryIsrStore();
    const paths = ["/", "/blog/a", "/blog/b"];
    const edge = pagesEdge(counting(), { store });
    for (const path of [...paths, "/blog/a?x"]) await edge.get(path);
    await edge.settle();
    const restarted = pagesEdge(counting(), { store });
    await restarted.get("/");
    const purged = await restarted.compute.pages.purge(scope);
    assert.equal(purged, scope.type === "path" ? 2 : 4 - left.length);
    for (const path of paths) {
      const isLeft = (left as readonly string[]).includes(path);
      assert.match(await restarted.get(path), isLeft ? /^HIT/ : /^MISS/, path);
    }
  });
}

Deno.test("a response that was requested before a purge is not stored after it", async () => {
  const gate = Promise.withResolvers<void>();
  const edge = pagesEdge(async () => {
    await gate.promise;
    return new Response("old");
  });
  const asking = edge.get("/");
  await edge.settle();
  await edge.compute.pages.purge({ type: "all" });
  gate.resolve();
  assert.equal(await asking, "MISS old");
  await edge.settle();
  assert.equal(edge.store.pages.size, 0);
  assert.match(await edge.get("/"), /^MISS/);
});

Deno.test("bypass_cache bypasses stored pages, and responses to unsafe methods are never stored", async () => {
  const edge = pagesEdge(counting(), {
    rules: [{
      id: "draft",
      condition: { query: { draft: "1" } },
      action: { type: "bypass_cache" },
    }],
  });
  assert.match(await edge.get("/?draft=1"), /page 1$/);
  assert.match(await edge.get("/?draft=1"), /page 2$/);
  assert.equal(await edge.get("/", { method: "POST", body: "x" }), "null page 3");
  assert.equal(edge.store.pages.size, 0);
});
