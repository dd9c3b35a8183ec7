/**
 * Tests which responses a front edge may store, and which it must not, with an in-memory front edge
 * and platform.
 */
import assert from "node:assert/strict";
import { UnavailableError } from "../lib/unavailable_error.ts";
import type { Manifest } from "../manifest/mod.ts";
import type { Rule } from "../rules/mod.ts";
import { computeOf, type TestServer } from "./_test_compute.ts";
import { noOthers, rawRequest, testEdge, testSite } from "./_test_site.ts";
import { createHttpCache } from "./cache/http_cache.ts";
import { createEdge } from "./edge.ts";
import type { Origin } from "./origin.ts";

const MANIFEST: Manifest = {
  version: 1,
  layers: [{ name: "app", target: "COMPUTE", directory: "app", entry: "app/main.mjs" }],
  routes: [{ pattern: "^/.*$", layer: "app" }],
};
const RULES: readonly Rule[] = [
  { id: "keep", action: { type: "cache", ttlSeconds: 60 } },
  {
    id: "curious",
    condition: { headers: { "x-curious": "yes" } },
    action: { type: "set_headers", headers: { curious: "yes" } },
  },
];

function world(server: TestServer, rules: readonly Rule[] = RULES) {
  const compute = computeOf({ app: server });
  const { site } = testSite({}, { manifest: MANIFEST, rules, compute });
  const seen = {
    asked: 0,
    kept: 0,
    deployment: site,
    isAway: false,
    now: Date.UTC(2026, 0, 1),
  };
  const platform = createEdge({
    ...noOthers(),
    resolveHost: () => seen.deployment,
    record: () => {},
    now: () => Date.UTC(2026, 0, 1),
    random: (length) => new Uint8Array(length),
    requestId: () => `p${seen.asked}`,
  });
  let hold: Promise<void> | undefined;
  const origin: Origin = {
    redirectsToHttps: () => false,
    async ask(request, mayKeep) {
      seen.asked++;
      if (seen.isAway) throw new UnavailableError("away", { retryAfter: 1 });
      const headers = mayKeep ? [...request.fields(), ["x-svc-edge-keep", "1"]] : request.fields();
      const url = `http://${request.authority}${request.target}`;
      const init = { method: request.method, headers: headers as [string, string][] };
      const connection = { remoteAddress: request.ip, scheme: request.scheme, relayedBy: "far" };
      const response = await platform(rawRequest(url, init), connection);
      const text = await response.text();
      if (response.headers.has("x-svc-edge-keep")) seen.kept++;
      await hold;
      return {
        status: response.status,
        headers: [...response.headers],
        body: text === "" ? null : text,
        bytes: text.length,
      };
    },
  };
  const cache = createHttpCache({ now: () => seen.now });
  const { site: known } = testSite({}, { manifest: MANIFEST, rules });
  const edge = testEdge(known, { origin, cache });
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await edge.fetch(path, { headers });
    return { text: await response.text(), headers: response.headers, status: response.status };
  };
  return { seen, cache, get, holdUntil: (until: Promise<void>) => hold = until };
}

/** Header fields of responses that are meant for one visitor or a single use. */
const PERSONAL: readonly Record<string, string>[] = [
  { "set-cookie": "a=1" },
  { vary: "cookie" },
  { "cache-control": "private" },
  { "cache-control": "max-age=0, no-cache", etag: '"a"' },
];

const counting = (headers: Record<string, string> = {}): TestServer => {
  let count = 0;
  return () =>
    new Response(`page ${++count}`, { headers: { "content-type": "text/html", ...headers } });
};

Deno.test("the platform's second response is stored, and rules edit it per visitor", async () => {
  const { seen, get } = world(counting({ etag: '"a"' }));
  for (let at = 0; at < 5; at++) {
    const { text, headers } = await get("/a", at % 2 === 0 ? {} : { "x-curious": "yes" });
    assert.equal(text, "page 1");
    assert.equal(headers.get("curious"), at % 2 === 0 ? null : "yes");
    for (const own of ["x-svc-edge-keep", "svc-cdn-cache-control"]) {
      assert.ok(!headers.has(own), own);
    }
  }
  assert.equal(seen.asked, 2);
  assert.equal((await get("/a", { "if-none-match": '"a"' })).status, 304);
  assert.equal(seen.asked, 2);
});

Deno.test("no personal response is stored", async () => {
  for (const fields of PERSONAL) {
    const { seen, get, cache } = world(counting(fields));
    for (let at = 0; at < 4; at++) await get("/a", { cookie: `id=${at % 2}` });
    assert.equal(seen.asked, 4, JSON.stringify(fields));
    assert.equal(cache.size, 0);
  }
  const { seen, get } = world(counting());
  for (let at = 0; at < 4; at++) await get("/a", { authorization: `Bearer ${at}` });
  assert.equal(seen.kept, 0);
});

Deno.test("encoded content without Vary is stored for clients that accept the same encodings", async () => {
  const { seen, get } = world(({ headers }) =>
    headers.has("accept-encoding")
      ? new Response("encoded", { headers: { "content-encoding": "gzip" } })
      : new Response("plain")
  );
  const gzip = { "accept-encoding": "gzip" };
  for (let at = 0; at < 3; at++) assert.equal((await get("/a", gzip)).text, "encoded");
  assert.equal(seen.asked, 2);
  assert.equal((await get("/a")).text, "plain");
});

Deno.test("responses that a rule caches for some visitors are not served to others", async () => {
  const { seen, get } = world(counting(), [
    {
      id: "members",
      condition: { headers: { "x-member": "yes" } },
      action: { type: "cache", ttlSeconds: 60 },
    },
  ]);
  for (let at = 0; at < 3; at++) {
    assert.equal((await get("/a", { "x-member": "yes" })).text, "page 1");
  }
  assert.equal(seen.asked, 2);
  for (let at = 0; at < 2; at++) assert.notEqual((await get("/a")).text, "page 1");
});

Deno.test("a purge also discards a response that is still arriving", async () => {
  const { cache, get, holdUntil, seen } = world(counting());
  await get("/a");
  const { promise, resolve } = Promise.withResolvers<void>();
  holdUntil(promise);
  const late = get("/a");
  while (seen.asked < 2) await new Promise((done) => setTimeout(done, 1));
  cache.clear();
  resolve();
  assert.equal((await late).text, "page 1");
  assert.equal(cache.size, 0);
});

Deno.test("a response from a deployment that the edge does not know is not stored", async () => {
  const { cache, get, seen } = world(counting());
  await get("/a");
  const { site } = testSite({}, {
    manifest: MANIFEST,
    rules: RULES,
    deploymentId: "deployment-2",
    compute: computeOf({ app: counting() }),
  });
  seen.deployment = site;
  await get("/a");
  const { headers } = await get("/a", { "x-curious": "yes" });
  assert.equal(headers.get("x-svc-deployment"), "deployment-2");
  assert.equal(headers.get("curious"), "yes");
  assert.ok(!headers.has("x-svc-edge-keep"));
  assert.equal(cache.size, 0);
});

Deno.test("a response with s-maxage keeps its own stale times at the edge", async () => {
  for (
    const [control, isStale] of [
      ["s-maxage=60, stale-while-revalidate=600", true],
      ["s-maxage=60, stale-if-error=600", true],
      ["s-maxage=60, stale-while-revalidate=600, must-revalidate", false],
      ["s-maxage=60", false],
    ] as const
  ) {
    const { get, seen } = world(counting({ "cache-control": control }));
    await get("/a");
    await get("/a");
    seen.isAway = true;
    seen.now += 100_000;
    const { status, headers } = await get("/a");
    assert.equal(status, isStale ? 200 : 503, control);
    assert.equal(headers.get("x-svc-cache"), isStale ? "STALE" : null, control);
    seen.now += 3_000_000;
    assert.equal((await get("/a")).status, 503, control);
  }
});

Deno.test("while the platform is unreachable, visitors get a stale response if allowed, otherwise a 503", async () => {
  for (const [control, isKept] of [["max-age=60", true], ["max-age=60, must-revalidate", false]]) {
    const { get, seen } = world(counting({ "cache-control": String(control) }));
    await get("/a");
    await get("/a");
    seen.isAway = true;
    assert.equal((await get("/a")).status, 200);
    seen.now += 100_000;
    const { status, text, headers } = await get("/a");
    assert.equal(status, isKept ? 200 : 503, String(control));
    assert.equal(headers.get("x-svc-cache"), isKept ? "STALE" : null);
    if (isKept) assert.equal(text, "page 1");
    assert.equal((await get("/b")).status, 503);
    seen.now += 3_600_000;
    assert.equal((await get("/a")).status, 503);
  }
});
