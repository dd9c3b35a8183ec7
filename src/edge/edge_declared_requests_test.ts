/**
 * Tests which requests cause a page to be stored because of its headers, and which requests are
 * served from the stored page.
 */
import assert from "node:assert/strict";
import { counting, declaredEdge, SHARED } from "./_test_declared.ts";

Deno.test("a page that became private is removed, and each client gets its own page", async () => {
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

Deno.test("with Authorization, only public pages are stored and served", async () => {
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

for (const name of ["x-original-url", "x-http-method-override", "x-rewrite-url"]) {
  Deno.test(`a response to a request with ${name} is not stored`, async () => {
    const edge = declaredEdge(counting({ "cache-control": SHARED }));
    await edge.get("/", { headers: { [name]: "/evil" } });
    assert.equal(await edge.get("/"), "MISS page 2");
  });
}

Deno.test("Vary creates separate entries, up to a limit", async () => {
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

Deno.test("an encoded response goes only to clients that accept the same encodings", async () => {
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

Deno.test("data for the Next.js router is stored separately from the page", async () => {
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

Deno.test("HEAD, conditions and ranges are served from a stored page, and do not create one", async () => {
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

Deno.test("POST is never served from a stored page", async () => {
  const edge = declaredEdge(counting({ "cache-control": SHARED, "svc-cdn-cache-control": SHARED }));
  await edge.get("/");
  const posted = await edge.fetch("/", { method: "POST", body: "x" });
  assert.equal(await posted.text(), "page 2");
  assert.equal(posted.headers.get("svc-cdn-cache-control"), null);
  assert.equal(await edge.get("/"), "HIT page 1");
});
