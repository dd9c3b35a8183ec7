import assert from "node:assert/strict";
import type { Action, Rule } from "../rules/mod.ts";
import { computeOf } from "./_test_compute.ts";
import { testEdge, testSite } from "./_test_site.ts";

const PAGE = { accept: "text/html" };
const FILES = {
  "index.html": "home",
  "403.html": "own 403",
  "404.html": "own 404",
  "429.html": "own 429",
  "451.html": "own 451",
  "500.html": "own 500",
  "501.html": "own 501",
};

const rule = (path: string, action: Action): Rule => ({
  id: path,
  condition: { path: { type: "exact", value: path } },
  action,
});

const RULES: readonly Rule[] = [
  rule("/denied", { type: "deny" }),
  rule("/gone", { type: "deny", statusCode: 404 }),
  rule("/law", { type: "deny", statusCode: 451 }),
  rule("/often", { type: "rate_limit", limit: 1, windowSeconds: 60 } as Action),
  rule("/plain", {
    type: "set_headers",
    headers: { "cache-control": "public, max-age=60", "x-rule": "1" },
  }),
];

Deno.test("a site shows its own error pages to browsers, uncached", async () => {
  const { site } = testSite(FILES, { rules: RULES });
  const edge = testEdge(site);
  await edge.fetch("/often");
  const rows: readonly (readonly [string, number, string | undefined, RequestInit?])[] = [
    ["/denied", 403, "own 403"],
    ["/gone", 404, "own 404"],
    ["/law", 451, undefined],
    ["/often", 429, "own 429"],
    ["/none", 404, "own 404"],
    ["/", 405, undefined, { method: "POST" }],
    ["/denied", 403, undefined, { headers: { accept: "application/json" } }],
    ["/denied", 403, "", { method: "HEAD" }],
  ];
  for (const [path, status, text, init] of rows) {
    const answer = await edge.fetch(path, { ...init, headers: { ...PAGE, ...init?.headers } });
    const body = await answer.text();
    assert.equal(answer.status, status, path);
    if (text === undefined) assert.doesNotMatch(body, /^own/, path);
    else assert.equal(body, text, path);
    if (path === "/none" || status === 405) continue;
    assert.equal(answer.headers.get("cache-control"), "no-store", path);
    assert.equal(answer.headers.get("etag"), null, path);
    assert.equal(answer.headers.get("x-svc-deployment"), "deployment-1", path);
    if (status === 429) assert.ok(Number(answer.headers.get("retry-after")) > 0);
  }
});

Deno.test("the edge's page is shown if the site's page cannot be read", async () => {
  const { site, blobs } = testSite(FILES, { rules: RULES });
  const edge = testEdge(site);
  blobs.content.clear();
  const denied = await edge.fetch("/denied", { headers: PAGE });
  assert.equal(denied.status, 403);
  assert.match(await denied.text(), /Forbidden/);
  const home = await edge.fetch("/", { headers: PAGE });
  assert.equal(home.status, 500);
  assert.match(await home.text(), /Something went wrong/);
  assert.equal(edge.errors.length, 3);
});

const CACHED: Rule = { id: "cache", action: { type: "cache", ttlSeconds: 60 } };

for (const [reason, status] of [["crashed", 502], ["overloaded", 503], ["timeout", 504]] as const) {
  for (const rules of [[], [CACHED]]) {
    const how = rules.length === 0 ? "" : " behind the cache";
    Deno.test(`a server that fails with ${reason} shows the site's own ${status}.html${how}`, async () => {
      const { site } = testSite({ [`${status}.html`]: `own ${status}` }, {
        manifest: {
          version: 1,
          layers: [
            { name: "files", target: "STATIC", directory: "." },
            { name: "server", target: "COMPUTE", directory: "server", entry: "server/main.mjs" },
          ],
          routes: [{ pattern: "^/.*$", layer: "server" }],
        },
        compute: computeOf({ server: () => reason }),
        rules,
      });
      const edge = testEdge(site);
      for (let round = 0; round < 2; round++) {
        const answer = await edge.fetch("/api", { headers: PAGE });
        assert.equal(answer.status, status);
        assert.equal(await answer.text(), `own ${status}`);
        assert.equal(answer.headers.get("retry-after"), status === 503 ? "1" : null);
        assert.equal(answer.headers.get("cache-control"), "no-store");
        assert.match(edge.records.at(-1)!.error ?? "", /as the test requires/);
      }
      const other = await edge.fetch("/api");
      assert.match(await other.text(), new RegExp(`^${status} `));
    });
  }
}

Deno.test("a response from the site's own server is never replaced", async () => {
  const { site } = testSite({ "500.html": "own 500" }, {
    manifest: {
      version: 1,
      layers: [
        { name: "files", target: "STATIC", directory: "." },
        { name: "server", target: "COMPUTE", directory: "server", entry: "server/main.mjs" },
      ],
      routes: [{ pattern: "^/.*$", layer: "server" }],
    },
    compute: computeOf({ server: () => new Response("the server's", { status: 500 }) }),
  });
  const answer = await testEdge(site).fetch("/", { headers: PAGE });
  assert.equal(await answer.text(), "the server's");
});
