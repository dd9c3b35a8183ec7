import assert from "node:assert/strict";
import type { Rule } from "../rules/mod.ts";
import { computeOf, MemoryIsrStore, type TestServer } from "./_test_compute.ts";
import { testEdge, testSite } from "./_test_site.ts";

const START = Date.UTC(2026, 0, 1);

interface World {
  readonly store?: MemoryIsrStore;
  readonly rules?: readonly Rule[];
  readonly startAt?: number;
  readonly revalidate?: number;
  readonly fallthrough?: boolean;
}

/** A site whose server answers everything; no rule says what is stored. */
function declaredEdge(server: TestServer, world: World = {}) {
  let now = world.startAt ?? START;
  const store = world.store ?? new MemoryIsrStore();
  const compute = computeOf({ server }, { now: () => now, store });
  const { revalidate, fallthrough, rules } = world;
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
          ...(revalidate === undefined ? {} : { revalidate }),
          ...(fallthrough === undefined ? {} : { fallthrough }),
        },
        { pattern: "^/.*$", layer: "files" },
      ],
    },
    compute,
    ...(rules === undefined ? {} : { rules }),
  });
  const edge = testEdge(site, { now: () => now });
  /** Lets work in the background end. */
  const settle = async () => {
    for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
  };
  /** What the cache says, and the text, when all work has ended. */
  const get = async (path: string, init: RequestInit = {}) => {
    const response = await edge.fetch(path, init);
    const text = await response.text();
    await settle();
    return `${response.headers.get("x-svc-cache")} ${text}`;
  };
  return { ...edge, get, settle, store, compute, wait: (seconds: number) => now += seconds * 1000 };
}

/** Pages with a count, and the same fields each time. */
const counting = (headers: HeadersInit, status = 200): TestServer => {
  let count = 0;
  return () => new Response(`page ${++count}`, { status, headers });
};

const SHARED = "s-maxage=60";

Deno.test("an answer with s-maxage is kept for that long, without a rule", async () => {
  const edge = declaredEdge(counting({ "cache-control": "s-maxage=60" }));
  const first = await edge.fetch("/");
  assert.deepEqual(
    ["x-svc-cache", "cache-control", "cache-status"].map((name) => first.headers.get(name)),
    [
      "MISS",
      "public, max-age=0, must-revalidate",
      "svc; fwd=uri-miss; fwd-status=200; stored",
    ],
  );
  await first.text();
  await edge.settle();
  edge.wait(59);
  const hit = await edge.fetch("/");
  assert.deepEqual(
    ["x-svc-cache", "age", "cache-control", "cache-status"].map((name) => hit.headers.get(name)),
    ["HIT", "59", "public, max-age=0, must-revalidate", "svc; hit; ttl=1"],
  );
  edge.wait(1);
  assert.equal(await edge.get("/"), "MISS page 2");
  assert.equal(await edge.get("/"), "HIT page 2");
});

for (
  const [headers, isKept, clientField] of [
    [{ "cache-control": "s-maxage=60, max-age=5" }, true, "max-age=5"],
    [{ "cache-control": "public, s-maxage=60, stale-while-revalidate=60" }, true, undefined],
    [{ "cache-control": "max-age=60" }, false, "max-age=60"],
    [{ "cache-control": "public, max-age=60" }, false, "public, max-age=60"],
    [{ "cache-control": "public" }, false, "public"],
    [{ expires: "Thu, 01 Jan 2099 00:00:00 GMT" }, false, null],
    [{ "cache-control": "s-maxage=0" }, false, "s-maxage=0"],
    [{ "cache-control": "s-maxage=soon" }, false, "s-maxage=soon"],
    [{ "cdn-cache-control": "max-age=60" }, true, undefined],
    [{ "cdn-cache-control": "max-age=60", "cache-control": "no-store" }, true, "no-store"],
    [{ "cdn-cache-control": "max-age=60", "cache-control": "private" }, true, "private"],
    [{ "cdn-cache-control": "no-store", "cache-control": SHARED }, false, SHARED],
    [{ "svc-cdn-cache-control": "max-age=60", "cdn-cache-control": "no-store" }, true, undefined],
    [{ "svc-cdn-cache-control": "", "cache-control": SHARED }, true, undefined],
    [{ "cache-control": `${SHARED}, private` }, false, `${SHARED}, private`],
    [{ "cache-control": `${SHARED}, no-store` }, false, `${SHARED}, no-store`],
    [{ "cache-control": `${SHARED}, no-cache` }, false, `${SHARED}, no-cache`],
    [{ "cache-control": SHARED, "set-cookie": "a=1" }, false, SHARED],
    [{ "cache-control": SHARED, vary: "*" }, false, SHARED],
    [{ "cache-control": SHARED, vary: "Cookie" }, false, SHARED],
    [{ "cache-control": SHARED, vary: "X-Forwarded-For" }, false, SHARED],
    [{ "cache-control": SHARED, age: "60" }, false, SHARED],
    [{ "cache-control": SHARED, "content-type": "text/event-stream" }, false, SHARED],
  ] as readonly [Record<string, string>, boolean, string | null | undefined][]
) {
  Deno.test(`${JSON.stringify(headers)} is ${isKept ? "" : "not "}kept`, async () => {
    const edge = declaredEdge(counting(headers));
    const first = await edge.fetch("/");
    await first.text();
    await edge.settle();
    const wanted = clientField === undefined ? "public, max-age=0, must-revalidate" : clientField;
    assert.equal(first.headers.get("cache-control"), wanted);
    assert.equal(first.headers.get("svc-cdn-cache-control"), null);
    assert.equal(
      first.headers.get("cdn-cache-control"),
      headers["cdn-cache-control"] ?? null,
      "the CDN's field is passed on",
    );
    assert.equal((await edge.get("/")).endsWith(isKept ? "page 1" : "page 2"), true);
  });
}

for (
  const [status, isKept] of [
    ...[[200, true], [301, true], [302, true], [404, true], [410, true]],
    ...[[201, false], [400, false], [401, false], [500, false], [503, false]],
  ] as const
) {
  Deno.test(`an answer of ${status} is ${isKept ? "" : "not "}kept`, async () => {
    const headers = { "cache-control": SHARED, location: "/elsewhere" };
    const edge = declaredEdge(counting(headers, status as number));
    await edge.get("/");
    assert.match(await edge.get("/"), isKept ? /^HIT page 1/ : /page 2$/);
  });
}

Deno.test("why an answer is not kept is in Cache-Status", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED, "set-cookie": "a=1" }));
  const { headers } = await edge.fetch("/");
  assert.equal(headers.get("x-svc-cache"), "BYPASS");
  assert.match(headers.get("cache-status")!, /detail=set_cookie/);
});

Deno.test("a server that never opts in is asked each time, and its answers say nothing of a cache", async () => {
  const edge = declaredEdge(counting({ "cache-control": "max-age=60", "cache-tag": "a" }));
  assert.equal(await edge.get("/"), "null page 1");
  assert.equal(await edge.get("/"), "null page 2");
  assert.equal(edge.compute.pages.mayHaveDeclared, false);
});

Deno.test("a stale page is served at once, and refreshed by one request without the client's fields", async () => {
  const edge = declaredEdge(
    counting({ "cache-control": "s-maxage=10, stale-while-revalidate=60", vary: "X-Shop" }),
  );
  const init = { headers: { cookie: "a=1", "x-shop": "5", "accept-language": "de" } };
  await edge.get("/", init);
  edge.wait(11);
  const many = await Promise.all(Array.from({ length: 10 }, () => edge.get("/", init)));
  assert.ok(many.every((answer) => /^(STALE page 1|HIT page 2)$/.test(answer)), String(many));
  assert.equal(edge.compute.asked.length, 2);
  const sent = Object.fromEntries(edge.compute.asked[1]!.headers);
  assert.deepEqual([sent.cookie, sent["accept-language"], sent["x-forwarded-for"]], [
    undefined,
    undefined,
    undefined,
  ]);
  assert.equal(sent["x-shop"], "5");
  edge.wait(71);
  assert.equal(await edge.get("/", init), "MISS page 3");
});

Deno.test("an expired page is fetched once for many", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED }));
  await edge.get("/");
  edge.wait(61);
  const many = await Promise.all(Array.from({ length: 10 }, () => edge.get("/")));
  assert.equal(edge.compute.asked.length, 2, String(many));
});

Deno.test("stale-while-revalidate without seconds has no limit", async () => {
  const edge = declaredEdge(counting({ "cache-control": "s-maxage=1, stale-while-revalidate" }));
  await edge.get("/");
  edge.wait(86_400);
  assert.equal(await edge.get("/"), "STALE page 1");
});

for (
  const [field, afterSeconds, expected] of [
    ["s-maxage=10, stale-if-error=600", 300, "STALE"],
    ["s-maxage=10, stale-if-error=600", 700, "null"],
    ["s-maxage=10, stale-while-revalidate=600", 300, "STALE"],
    ["s-maxage=10", 300, "null"],
    ["s-maxage=10, stale-if-error=600, must-revalidate", 300, "null"],
  ] as const
) {
  for (const failure of ["crashed", "error"] as const) {
    Deno.test(`${field}: ${expected} after ${afterSeconds} s where the server ${failure}`, async () => {
      let isBroken = false;
      const edge = declaredEdge(() => {
        if (isBroken) return failure === "crashed" ? failure : new Response("x", { status: 503 });
        return new Response("page", { headers: { "cache-control": field } });
      });
      await edge.get("/");
      isBroken = true;
      edge.wait(afterSeconds);
      const { status, headers } = await edge.fetch("/");
      if (expected === "STALE") {
        assert.deepEqual([status, headers.get("x-svc-cache")], [200, "STALE"]);
      } else assert.ok(status >= 500);
    });
  }
}

Deno.test("a page that became private is forgotten, and each client gets its own", async () => {
  let isPrivate = false;
  const edge = declaredEdge(() =>
    new Response(isPrivate ? "mine" : "ours", {
      headers: { "cache-control": isPrivate ? "private" : SHARED },
    })
  );
  await edge.get("/");
  isPrivate = true;
  edge.wait(61);
  assert.match(await edge.get("/"), /mine$/);
  assert.match(await edge.get("/"), /mine$/);
  assert.equal(edge.store.pages.size, 0);
});

Deno.test("a request with Authorization neither makes nor gets a page, unless it is public", async () => {
  for (const [field, isShared] of [[SHARED, false], [`public, ${SHARED}`, true]] as const) {
    const edge = declaredEdge(counting({ "cache-control": field }));
    const init = { headers: { authorization: "Basic x" } };
    assert.match(await edge.get("/", init), /page 1$/);
    assert.equal(await edge.get("/"), isShared ? "HIT page 1" : "MISS page 2");
    assert.match(await edge.get("/", init), isShared ? /^HIT page 1/ : /^BYPASS page 3/);
  }
});

Deno.test("an editor's draft is neither stored nor hidden by a stored page", async () => {
  for (const revalidate of [undefined, 60]) {
    const edge = declaredEdge(
      counting({ "cache-control": SHARED }),
      revalidate === undefined ? {} : { revalidate },
    );
    const draft = { headers: { cookie: "theme=dark; __prerender_bypass=abc" } };
    assert.match(await edge.get("/", draft), /^BYPASS page 1/);
    assert.equal(await edge.get("/"), "MISS page 2");
    assert.match(await edge.get("/", draft), /^BYPASS page 3/);
  }
});

for (const name of ["x-original-url", "x-http-method-override", "x-middleware-subrequest"]) {
  Deno.test(`an answer to a request with ${name} is not stored`, async () => {
    const edge = declaredEdge(counting({ "cache-control": SHARED }));
    await edge.get("/", { headers: { [name]: "/evil" } });
    assert.equal(await edge.get("/"), "MISS page 2");
  });
}

Deno.test("Vary gives entries of their own, within bounds", async () => {
  const edge = declaredEdge((request) =>
    new Response(request.headers.get("accept-language") ?? "none", {
      headers: { "cache-control": SHARED, vary: "Accept-Language" },
    })
  );
  const as = (language: string) => edge.get("/", { headers: { "accept-language": language } });
  assert.equal(await as("de"), "MISS de");
  assert.equal(await as("fr"), "MISS fr");
  assert.equal(await as("de"), "HIT de");
  assert.equal(await as("fr"), "HIT fr");
  assert.match(await edge.get("/"), /^MISS/);
  for (let index = 0; index < 40; index++) await as(`x-${index}`);
  assert.ok([...edge.store.pages.keys()].filter((name) => name.endsWith(".dp")).length === 1);
});

Deno.test("an encoded answer is for clients that accept the same encodings", async () => {
  const edge = declaredEdge((request) =>
    new Response("bytes", {
      headers: request.headers.get("accept-encoding") === "gzip"
        ? { "cache-control": SHARED, "content-encoding": "gzip" }
        : { "cache-control": SHARED },
    })
  );
  assert.match(await edge.get("/", { headers: { "accept-encoding": "gzip" } }), /^MISS/);
  assert.match(await edge.get("/"), /^MISS/);
  assert.match(await edge.get("/"), /^HIT/);
});

Deno.test("the data that Next.js' router requests is apart from the page, on both kinds of routes", async () => {
  for (const revalidate of [undefined, 60]) {
    const edge = declaredEdge(
      (request) =>
        new Response(request.headers.has("rsc") ? "data" : "html", {
          headers: {
            "cache-control": SHARED,
            vary: "rsc, next-router-state-tree, next-router-prefetch, Accept-Encoding",
          },
        }),
      revalidate === undefined ? {} : { revalidate },
    );
    const data = (tree: string) =>
      edge.get("/", { headers: { rsc: "1", "next-router-state-tree": tree } });
    assert.equal(await edge.get("/"), "MISS html");
    assert.equal(await data("a"), "MISS data");
    assert.equal(await data("b".repeat(1000)), "MISS data");
    assert.equal(await edge.get("/"), "HIT html");
    assert.equal(await data("a"), "HIT data");
    assert.equal(await edge.get("/?_rsc=1"), "MISS html");
  }
});

Deno.test("a page that Next.js served stale is fetched again with the next request", async () => {
  let state = "STALE";
  const edge = declaredEdge(() =>
    new Response(state, {
      headers: {
        "cache-control": "s-maxage=60, stale-while-revalidate=600",
        "x-nextjs-cache": state,
      },
    })
  );
  assert.equal(await edge.get("/"), "MISS STALE");
  state = "HIT";
  assert.equal(await edge.get("/"), "STALE STALE");
  assert.equal(await edge.get("/"), "HIT HIT");
});

Deno.test("HEAD, conditions and ranges are answered from a page, and do not make one", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED }));
  await edge.get("/", { method: "HEAD" });
  assert.equal(edge.store.pages.size, 0);
  await edge.get("/");
  const head = await edge.fetch("/", { method: "HEAD" });
  assert.deepEqual([head.headers.get("content-length"), await head.text()], ["6", ""]);
  const etag = head.headers.get("etag")!;
  assert.equal((await edge.fetch("/", { headers: { "if-none-match": etag } })).status, 304);
  const part = await edge.fetch("/", { headers: { range: "bytes=0-3" } });
  assert.deepEqual([part.status, await part.text()], [206, "page"]);
  assert.equal(edge.compute.asked.length, 2);
});

Deno.test("POST is never answered from a page", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED, "svc-cdn-cache-control": SHARED }));
  await edge.get("/");
  const posted = await edge.fetch("/", { method: "POST", body: "x" });
  assert.equal(await posted.text(), "page 2");
  assert.equal(posted.headers.get("svc-cdn-cache-control"), null);
  assert.equal(await edge.get("/"), "HIT page 1");
});

Deno.test("pages outlive the process with their terms, tags and variants", async () => {
  const store = new MemoryIsrStore();
  const headers = {
    "cache-control": "s-maxage=100, stale-while-revalidate=100",
    vary: "x-shop",
    "svc-cache-tag": "posts",
  };
  const before = declaredEdge(counting(headers), { store });
  const as = (edge: typeof before, shop: string) => edge.get("/", { headers: { "x-shop": shop } });
  await as(before, "1");
  await as(before, "2");
  const after = declaredEdge(() => new Response("new", { headers }), {
    store,
    startAt: START + 50_000,
  });
  assert.equal(await as(after, "2"), "HIT page 2");
  assert.equal(await as(after, "1"), "HIT page 1");
  assert.equal(await as(after, "3"), "MISS new");
  after.wait(60);
  assert.equal(await as(after, "1"), "STALE page 1");
  await after.compute.pages.revalidate([{ type: "tag", tag: "posts" }], {});
  const third = declaredEdge(() => new Response("third", { headers }), {
    store,
    startAt: START + 120_000,
  });
  assert.equal(await as(third, "2"), "MISS third");
});

Deno.test("a page that is of use for less than a minute is in memory only", async () => {
  const edge = declaredEdge(counting({ "cache-control": "s-maxage=5" }));
  await edge.get("/");
  assert.equal(edge.store.pages.size, 0);
  assert.equal(await edge.get("/"), "HIT page 1");
});

Deno.test("a 404 that falls through is not kept", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED }, 404), { fallthrough: true });
  for (let round = 0; round < 2; round++) {
    assert.equal(await (await edge.fetch("/fallback")).text(), "file");
  }
  assert.equal(edge.store.pages.size, 0);
});

Deno.test("a rule counts before the route's revalidate, and that before the answer's own word", async () => {
  const headers = { "cache-control": "s-maxage=10", "svc-cache-tag": "a" };
  const at = (type: "exact" | "prefix", value: string) => ({ path: { type, value } });
  const routed = declaredEdge(counting(headers), {
    revalidate: 100,
    rules: [
      { id: "no", condition: at("exact", "/ruled/no"), action: { type: "bypass_cache" } },
      { id: "yes", condition: at("prefix", "/ruled"), action: { type: "cache", ttlSeconds: 1000 } },
    ],
  });
  await routed.get("/");
  routed.wait(99);
  assert.equal(await routed.get("/"), "HIT page 1");
  await routed.get("/ruled");
  const ruled = await routed.fetch("/ruled");
  assert.equal(await ruled.text(), "page 2");
  assert.deepEqual(
    ["x-svc-cache", "cache-control", "svc-cache-tag"].map((name) => ruled.headers.get(name)),
    ["HIT", "s-maxage=10", null],
  );
  assert.match(ruled.headers.get("cache-status")!, /ttl=10$/, "the answer's own lifetime");
  assert.match(await routed.get("/ruled/no"), /^BYPASS page 3/);
  assert.match(await routed.get("/ruled/no"), /^BYPASS page 4/);
});

Deno.test("revalidate: 0 stores nothing, whatever the answer says", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED }), { revalidate: 0 });
  assert.equal(await edge.get("/"), "null page 1");
  assert.equal(await edge.get("/"), "null page 2");
});

for (const revalidate of [undefined, 600]) {
  const kind = revalidate === undefined ? "declared" : "route";
  const headers = {
    "cache-control": "s-maxage=600, stale-while-revalidate=600",
    "svc-cache-tag": "posts, a",
  };
  const world = revalidate === undefined ? {} : { revalidate };

  Deno.test(`revalidate() removes ${kind} pages by path and by tag at once`, async () => {
    const edge = declaredEdge(counting(headers), world);
    const { pages } = edge.compute;
    await edge.get("/blog/a");
    void pages.revalidate([{ type: "tag", tag: "posts" }], {});
    assert.equal(await edge.get("/blog/a"), "MISS page 2");
    void pages.revalidate([{ type: "path", path: "/blog/a" }, { type: "path", path: "/b" }], {});
    assert.equal(await edge.get("/blog/a"), "MISS page 3");
    void pages.revalidate([{ type: "tag", tag: "other" }, { type: "path", path: "/blog" }], {});
    assert.equal(await edge.get("/blog/a"), "HIT page 3");
  });

  Deno.test(`a soft purge marks ${kind} pages as stale`, async () => {
    const edge = declaredEdge(counting(headers), world);
    await edge.get("/blog/a");
    const purged = await edge.compute.pages.purge({ type: "tag", tag: "a" }, { soft: true });
    assert.equal(purged, 1);
    assert.equal(await edge.get("/blog/a"), "STALE page 1");
    assert.equal(await edge.get("/blog/a"), "HIT page 2");
  });

  Deno.test(`a purge of ${kind} pages by tag removes them from the disk`, async () => {
    const store = new MemoryIsrStore();
    const before = declaredEdge(counting(headers), { ...world, store });
    await before.get("/blog/a");
    await before.get("/blog/b");
    const after = declaredEdge(counting(headers), { ...world, store });
    assert.equal(await after.compute.pages.purge({ type: "tag", tag: "none" }), 0);
    assert.equal(await after.compute.pages.purge({ type: "tag", tag: "posts" }), 2);
    assert.equal(store.pages.size, 0);
  });

  Deno.test(`a ${kind} page that was requested before it was revalidated is not fresh after it`, async () => {
    for (const soft of [false, true]) {
      let gate = Promise.withResolvers<void>();
      let count = 0;
      const edge = declaredEdge(async () => {
        await gate.promise;
        return new Response(`page ${++count}`, { headers });
      }, world);
      const asking = edge.get("/");
      await edge.settle();
      void edge.compute.pages.revalidate([{ type: "path", path: "/" }], { soft });
      gate.resolve();
      assert.equal(await asking, "MISS page 1");
      gate = Promise.withResolvers<void>();
      gate.resolve();
      assert.equal(await edge.get("/"), soft ? "STALE page 1" : "MISS page 2");
      assert.equal(await edge.get("/"), "HIT page 2");
    }
  });
}
