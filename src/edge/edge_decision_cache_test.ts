/** A client must never get a decision that depends on another client. */
import assert from "node:assert/strict";
import type { Rule } from "../rules/mod.ts";
import { cached, dynamicEdge, toUpstream } from "./_test_dynamic.ts";
import { runtimeRules, testEdge, testSite } from "./_test_site.ts";
import { withRules } from "./site/site.ts";

const PHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1";

const deny = (condition: NonNullable<Rule["condition"]>): Rule => ({
  id: "deny",
  condition,
  action: { type: "deny" },
});

const toRedirect = (target: string): Rule => ({
  id: "redirect",
  action: { type: "redirect", target },
});

const LIMIT: Rule = {
  id: "limit",
  condition: { path: { type: "prefix", value: "/limited" } },
  action: { type: "rate_limit", limit: 2, windowSeconds: 60, mode: "enforce" },
};

/** Conditions that match only the second client, and that client's request. */
const CLIENTS: readonly [
  string,
  NonNullable<Rule["condition"]>,
  RequestInit & { from?: string },
][] = [
  ["header", { headers: { "x-a": "1" } }, { headers: { "x-a": "1" } }],
  ["cookie", { cookies: { c: "1" } }, { headers: { cookie: "c=1" } }],
  ["address", { sourceIpCidrs: ["198.51.100.0/24"] }, { from: "198.51.100.7" }],
  ["device", { device: "mobile" }, { headers: { "user-agent": PHONE } }],
  ["method", { methods: ["HEAD"] }, { method: "HEAD" }],
  ["any", { any: [{ headers: { "x-a": "1" } }] }, { headers: { "x-a": "1" } }],
];

for (const [name, condition, init] of CLIENTS) {
  Deno.test(`a rule with a client condition (${name}) is evaluated for each client`, async () => {
    const edge = dynamicEdge({ rules: [deny(condition), toUpstream, cached()] });
    for (let count = 0; count < 3; count++) {
      assert.equal((await edge.fetch("/page")).status, 200);
      assert.equal((await edge.fetch("/page", init)).status, 403);
    }
  });
}

Deno.test("a rule with a negated client condition is evaluated for each client", async () => {
  const edge = dynamicEdge({
    rules: [deny({ not: { headers: { "x-key": "1" } } }), toUpstream, cached()],
  });
  for (let count = 0; count < 3; count++) {
    assert.equal((await edge.fetch("/page", { headers: { "x-key": "1" } })).status, 200);
    assert.equal((await edge.fetch("/page")).status, 403);
  }
});

Deno.test("each request counts against its limit", async () => {
  const edge = dynamicEdge({ rules: [LIMIT, toUpstream, cached()] });
  const statuses: number[] = [];
  for (let count = 0; count < 4; count++) statuses.push((await edge.fetch("/limited")).status);
  assert.deepEqual(statuses, [200, 200, 429, 429]);
});

Deno.test("a step before the cache runs each time", async () => {
  let isOpen = true;
  const edge = dynamicEdge({
    rules: [toUpstream, cached(), {
      id: "gate",
      action: {
        type: "pipeline",
        steps: [{ use: "gate", mode: "request", failure: "closed" }, { handle: "origin" }],
      },
    }],
    functions: { gate: () => isOpen ? undefined : new Response("closed", { status: 401 }) },
  });
  assert.equal((await edge.fetch("/page")).status, 200);
  assert.equal((await edge.fetch("/page")).headers.get("x-svc-cache"), "HIT");
  isOpen = false;
  assert.equal((await edge.fetch("/page")).status, 401);
});

Deno.test("targets that differ in host, path or query are cached separately", async () => {
  const edge = dynamicEdge({
    rules: [
      deny({ query: { q: "1" } }),
      deny({ path: { type: "prefix", value: "/no" } }),
      toUpstream,
      cached(),
    ],
    upstream: (request) => new Response(request.url),
  });
  for (let count = 0; count < 2; count++) {
    assert.equal((await edge.fetch("/yes?q=1")).status, 403);
    assert.equal((await edge.fetch("/no")).status, 403);
    for (const path of ["/yes", "/yes?q=2", "/yes/", "/Yes"]) {
      assert.equal(await (await edge.fetch(path)).text(), `https://upstream.test${path}`);
    }
  }
});

Deno.test("a cached redirect to HTTPS is not served to clients that use HTTPS", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream, cached()],
    upstream: ({ headers }) =>
      headers.some(([name, value]) => name === "x-forwarded-proto" && value === "http")
        ? new Response(null, { status: 308, headers: { location: "https://site.test/page" } })
        : new Response("page"),
  });
  // A front edge that is connected over HTTP relays the requests of both schemes.
  const url = "http://site.test/page";
  for (
    const [state, scheme, status] of [
      ["MISS", "http", 308],
      ["MISS", "https", 200],
      ["HIT", "https", 200],
      ["HIT", "http", 308],
      ["HIT", "https", 200],
    ] as const
  ) {
    const response = await edge.fetch(url, { scheme });
    assert.deepEqual([response.headers.get("x-svc-cache"), response.status], [state, status]);
    await response.text();
  }
});

Deno.test("a target with another spelling is the same page with the same rules", async () => {
  const edge = dynamicEdge({
    rules: [deny({ path: { type: "exact", value: "/no" } }), toUpstream, cached()],
  });
  for (let count = 0; count < 2; count++) {
    for (const path of ["/no", "//no", "/%6eo", "/a/../no"]) {
      assert.equal((await edge.fetch(path)).status, 403, path);
    }
  }
});

Deno.test("a cached target still respects validators, authorization, ranges and purges", async () => {
  const edge = dynamicEdge({
    rules: [toUpstream, cached()],
    upstream: (_, count) => new Response(`answer ${count}`, { headers: { etag: '"1"' } }),
  });
  const ask = async (headers: Record<string, string> = {}) => {
    const answer = await edge.fetch("/page", { headers });
    return [answer.status, answer.headers.get("x-svc-cache"), await answer.text()];
  };
  assert.deepEqual(await ask(), [200, "MISS", "answer 1"]);
  assert.deepEqual(await ask(), [200, "HIT", "answer 1"]);
  assert.deepEqual(await ask({ "if-none-match": '"1"' }), [304, "HIT", ""]);
  assert.deepEqual(await ask({ range: "bytes=0-5" }), [206, "HIT", "answer"]);
  assert.deepEqual((await ask({ authorization: "Bearer x" }))[2], "answer 2");
  edge.cache!.purge("01a1f000-0000-7000-8000-000000000000", { type: "all" });
  assert.deepEqual(await ask(), [200, "HIT", "answer 1"]);
  edge.wait(61);
  assert.deepEqual((await ask())[2], "answer 3");
});

Deno.test("new rules for the same host are not confused with earlier ones", async () => {
  const before = testSite({ "index.html": "home" }, { rules: [toRedirect("/old")] }).site;
  const after = withRules(before, runtimeRules([toRedirect("/new")]));
  let site = before;
  const edge = testEdge(before, { resolveHost: () => site });
  const location = async () => (await edge.fetch("/from")).headers.get("location");
  assert.equal(await location(), "/old");
  assert.equal(await location(), "/old");
  site = after;
  assert.equal(await location(), "/new");
});
