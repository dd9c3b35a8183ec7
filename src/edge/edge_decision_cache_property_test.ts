/**
 * An edge that caches decisions must behave exactly like one that evaluates the rules for each
 * request. The second edge trusts every client as a proxy, which turns off its cache.
 */
import assert from "node:assert/strict";
import fc from "fast-check";
import type { Rule } from "../rules/mod.ts";
import { createHttpCache } from "./cache/http_cache.ts";
import { ruleCounts, withRules } from "./site/site.ts";
import { functionsOf, toUpstream, UPSTREAM } from "./_test_dynamic.ts";
import { runtimeRules, testEdge, testSite } from "./_test_site.ts";

const CLIENTS = ["192.0.2.1", "198.51.100.7"];

const prefix = (value: string) => ({ path: { type: "prefix", value } as const });
const steps = (...names: ("gate" | "tag" | "inner" | "watch")[]): Rule["action"] => ({
  type: "pipeline",
  steps: [
    ...names.map((use) =>
      ({
        gate: { use, mode: "request", failure: "closed" } as const,
        inner: { use, mode: "request", cachePosition: "after" } as const,
        tag: { use, mode: "response" } as const,
        watch: { use, mode: "observe" } as const,
      })[use]
    ),
    { handle: "origin" },
  ],
});

/** Rules of all kinds. Each generated set is a selection of them, in order. */
const RULES: readonly Rule[] = [
  { id: "header", condition: { headers: { "x-a": "1" } }, action: { type: "deny" } },
  {
    id: "not",
    condition: { not: { cookies: { c: "1" } }, ...prefix("/a") },
    action: { type: "log" },
  },
  { id: "query", condition: { query: { q: "1" } }, action: { type: "deny", statusCode: 451 } },
  { id: "host", condition: { host: "other.test" }, action: { type: "log" } },
  {
    id: "address",
    condition: { sourceIpCidrs: ["198.51.100.0/24"], ...prefix("/b") },
    action: { type: "deny" },
  },
  { id: "country", condition: { geo: ["DE"], ...prefix("/A") }, action: { type: "deny" } },
  {
    id: "limit",
    condition: prefix("/l"),
    action: { type: "rate_limit", limit: 2, windowSeconds: 60, mode: "enforce" },
  },
  {
    id: "to",
    condition: { path: { type: "glob", value: "/r/{rest...}" } },
    action: { type: "redirect", target: "/{rest}?from={rest}" },
  },
  {
    id: "to-no-file",
    condition: prefix("/index"),
    action: { type: "redirect", target: "/home", ifNoFile: true },
  },
  {
    id: "bypass",
    condition: { path: { type: "exact", value: "/a/b" } },
    action: { type: "bypass_cache" },
  },
  {
    id: "cache-device",
    condition: { ...prefix("/d"), device: "mobile" },
    action: { type: "cache", ttlSeconds: 60, vary: ["device"] },
  },
  {
    id: "cache-geo",
    condition: prefix("/g"),
    action: { type: "cache", ttlSeconds: 60, vary: ["geo"] },
  },
  { id: "cache", action: { type: "cache", ttlSeconds: 60, swrSeconds: 30 } },
  {
    id: "upstream",
    condition: { methods: ["GET", "POST"], path: { type: "glob", value: "/{rest...}" } },
    action: { type: "rewrite", target: `${UPSTREAM}/{rest}`, external: true, ifNoFile: true },
  },
  { ...toUpstream, id: "all-upstream" },
  { id: "inside", condition: prefix("/in"), action: { type: "rewrite", target: "/index.html" } },
  { id: "inner", action: steps("inner") },
  { id: "outer", condition: prefix("/a"), action: steps("gate", "tag", "inner") },
  { id: "watch", condition: prefix("/b"), action: steps("watch") },
  {
    id: "set",
    condition: { path: { type: "glob", value: "/{all...}" } },
    action: { type: "set_headers", headers: { "x-path": "{all}" } },
  },
  { id: "remove", action: { type: "remove_headers", headers: ["etag"] } },
];

const ruleSet = fc.subarray([...RULES], { minLength: 1 });

const address = fc.record({
  scheme: fc.constantFrom("http", "http", "https"),
  authority: fc.constantFrom(
    "site.test",
    "site.test",
    "site.test",
    "other.test",
    "SITE.test",
    "site.test:80",
    "site.test.",
    "u@site.test",
    "nowhere.test",
    "site%2Etest",
    "[::1]",
  ),
  path: fc.constantFrom(
    "/",
    "/a",
    "/a",
    "/b",
    "/a/b",
    "/%61",
    "//a",
    "/a/",
    "/A",
    "/a/../b",
    "/a%2Fb",
    "/%",
    "/\\a",
    "/limited",
    "/r/x",
    "/r//evil.test",
    "/index.html",
    "/index",
    "/d",
    "/g",
    "/in",
    "",
    "/vary",
    "/é",
  ),
  query: fc.constantFrom("", "", "", "?", "?q=1", "?q=2", "?q=%31", "?%71=1", "??q=1"),
  fragment: fc.constantFrom("", "", "", "#", "#?q=1"),
}).map(({ scheme, authority, path, query, fragment }) =>
  `${scheme}://${authority}${path}${query}${fragment}`
);

const headers = fc.array(
  fc.constantFrom<[string, string]>(
    ...([
      ["x-a", "1"],
      ["x-a", "2"],
      ["cookie", "c=1"],
      ["cookie", "c=2"],
      ["authorization", "Bearer x"],
      ["range", "bytes=0-2"],
      ["range", "bytes=9999-"],
      ["if-none-match", '"1"'],
      ["if-none-match", "*"],
      ["if-match", '"2"'],
      ["cache-control", "no-store"],
      ["cache-control", "only-if-cached"],
      ["cache-control", "max-stale"],
      ["content-length", "3"],
      ["transfer-encoding", "chunked"],
      [
        "user-agent",
        "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) Mobile/15E148 Safari/604.1",
      ],
      ["upgrade", "websocket"],
      ["host", "elsewhere.test"],
      ["host", "site.test/x?"],
    ] as [string, string][]),
  ),
  { maxLength: 2 },
);

const eventAround = (urls: readonly string[]) =>
  fc.oneof(
    {
      weight: 12,
      arbitrary: fc.record({
        type: fc.constant("request" as const),
        url: fc.constantFrom(...urls),
        method: fc.constantFrom("GET", "GET", "GET", "GET", "HEAD", "POST", "OPTIONS"),
        headers,
        from: fc.constantFrom(...CLIENTS),
        times: fc.integer({ min: 1, max: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("wait" as const),
        seconds: fc.constantFrom(1, 61, 100),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("publish" as const), rules: ruleSet }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("purge" as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        type: fc.constant("deploy" as const),
        file: fc.constantFrom("a", "index.html", "b.html"),
      }),
    },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("toggle" as const) }) },
  );
type Event = ReturnType<typeof eventAround> extends fc.Arbitrary<infer Value> ? Value : never;

function answerOf(url: string, count: number): Response {
  const fields = new Headers({ etag: `"${count % 2}"` });
  if (url.includes("vary")) fields.set("vary", "x-a, strange name");
  if (url.includes("/d")) {
    fields.set("cache-control", "public, max-age=2, stale-while-revalidate=60");
  }
  if (url.includes("/b")) fields.append("set-cookie", "s=1");
  return new Response(`${url} ${count}`, { headers: fields });
}

/** Creates one of the two compared edges, with its own state. */
function world(first: readonly Rule[], trustProxy: readonly string[]) {
  let now = Date.UTC(2026, 0, 1);
  let [count, isOpen, watched, deployments] = [0, true, 0, 0];
  const functions = functionsOf({
    gate: () => isOpen ? undefined : new Response("closed", { status: 401 }),
    tag: (_, { response }) =>
      new Response(response!.body, { status: response!.status, headers: { "x-tag": "1" } }),
    inner: () => undefined,
    watch: () => void watched++,
  });
  const build = (name: string, rules: readonly Rule[]) =>
    testSite({ [name]: "A file" }, {
      rules,
      functions,
      deploymentId: `deployment-${++deployments}`,
    }).site;
  let rules = first;
  let site = build("index.html", rules);
  const cache = createHttpCache({ now: () => now });
  const edge = testEdge(site, {
    trustProxy,
    cache,
    now: () => now,
    geo: { country: (ip) => ip === CLIENTS[0] ? "DE" : "FR" },
    resolveHost: (host) => ["site.test", "other.test"].includes(host) ? site : undefined,
    outbound: (request) => {
      const { status, headers, body } = answerOf(request.url, ++count);
      return Promise.resolve({
        status,
        statusText: "",
        headers: [...headers],
        body,
        url: request.url,
        redirected: false,
      });
    },
  });
  return {
    async take(event: Event): Promise<unknown> {
      switch (event.type) {
        case "wait":
          return now += event.seconds * 1000;
        case "publish":
          rules = event.rules;
          return site = withRules(site, runtimeRules(rules));
        case "deploy":
          return site = build(event.file, rules);
        case "purge":
          return cache.purge(site.deploymentId, { type: "all" });
        case "toggle":
          return isOpen = !isOpen;
        case "request": {
          const { url, method, headers, from } = event;
          const response = await edge.fetch(url, { method, headers, from });
          return [response.status, [...response.headers], await response.text()];
        }
      }
    },
    end: () => ({
      count,
      watched,
      counts: ruleCounts(site),
      records: edge.records,
      errors: edge.errors,
    }),
  };
}

/** Rules and events. The events use only a few URLs, so the same URLs are requested repeatedly. */
const story = fc.tuple(
  ruleSet,
  fc.array(address, { minLength: 1, maxLength: 4 }).chain((urls) =>
    fc.array(eventAround(urls), { minLength: 1, maxLength: 30 })
  ),
);

Deno.test("an edge responds identically with and without cached decisions", async () => {
  await fc.assert(
    fc.asyncProperty(story, async ([rules, events]) => {
      const [remembering, forgetful] = [world(rules, []), world(rules, CLIENTS)];
      for (const event of events) {
        for (let time = 0; time < (event.type === "request" ? event.times : 1); time++) {
          const [known, judged] = [await remembering.take(event), await forgetful.take(event)];
          if (event.type === "request" || event.type === "purge") {
            assert.deepEqual(known, judged, JSON.stringify(event));
          }
        }
      }
      assert.deepEqual(remembering.end(), forgetful.end());
    }),
    { numRuns: Number(Deno.env.get("MEMO_RUNS") ?? 150) },
  );
});
