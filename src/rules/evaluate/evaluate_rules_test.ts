import assert from "node:assert/strict";
import { compileAll, decide, matchedIds, type ShortRule } from "../_test_rules.ts";
import type { DescribedRequest } from "../request/facts.ts";
import type { Action, Condition } from "../rule_set/types.ts";
import { NO_DECISION } from "../decision.ts";
import { rewriteChanged } from "./evaluate_rules.ts";

const LOG: Action = { type: "log" };
const glob = (value: string): Condition => ({ path: { type: "glob", value } });
const exact = (value: string): Condition => ({ path: { type: "exact", value } });
const prefix = (value: string): Condition => ({ path: { type: "prefix", value } });

const CONDITIONS: readonly [
  name: string,
  condition: Condition,
  request: DescribedRequest,
  holds: boolean,
][] = [
  ["none", {}, { url: "/x" }, true],
  ["exact", exact("/a"), { url: "/a" }, true],
  ["exact, deeper", exact("/a"), { url: "/a/" }, false],
  ["exact, written in Unicode", exact("/é"), { url: "/%c3%A9" }, true],
  ["prefix", prefix("/a"), { url: "/ab" }, true],
  ["glob", glob("/a/*"), { url: "/a/b" }, true],
  ["methods", { methods: ["POST"] }, { url: "/", method: "POST" }, true],
  ["methods, HEAD is not GET", { methods: ["GET"] }, { url: "/", method: "HEAD" }, false],
  ["methods, empty list", { methods: [] }, { url: "/" }, false],
  ["method and methods", { methods: ["GET"], method: ["PUT"] }, { url: "/", method: "PUT" }, true],
  ["host", { host: "Bücher.test" }, { url: "http://xn--bcher-kva.test:81/" }, true],
  ["host, other", { host: "a.test" }, { url: "http://b.a.test/" }, false],
  [
    "header name in any case",
    { headers: { "X-A": "1" } },
    { url: "/", headers: { "x-a": "1" } },
    true,
  ],
  [
    "header value, case-sensitive",
    { headers: { "x-a": "Q" } },
    { url: "/", headers: { "x-a": "q" } },
    false,
  ],
  [
    "header, one of several",
    { headers: { "x-a": "2" } },
    { url: "/", headers: { "x-a": "1, 2" } },
    true,
  ],
  ["header, absent", { headers: { "x-a": "" } }, { url: "/" }, false],
  ["query, one of several", { query: { q: "2" } }, { url: "/?q=1&q=2" }, true],
  ["query, decoded", { query: { q: "a b" } }, { url: "/?q=a+b" }, true],
  ["query, absent", { query: { q: "" } }, { url: "/?p=" }, false],
  ["cookie", { cookies: { c: "1" } }, { url: "/", headers: { cookie: "b=2; c=1" } }, true],
  ["cookie, other", { cookies: { c: "1" } }, { url: "/", headers: { cookie: "cc=1" } }, false],
  ["geo", { geo: ["de", "FR"] }, { url: "/", country: "DE" }, true],
  ["geo, unknown", { geo: ["DE"] }, { url: "/" }, false],
  ["asn", { asn: [64500] }, { url: "/", asn: 64500 }, true],
  ["asn, unknown", { asn: [64500] }, { url: "/" }, false],
  ["device", { device: "bot" }, { url: "/", device: "bot" }, true],
  ["device, other", { device: "bot" }, { url: "/", device: "mobile" }, false],
  ["address", { sourceIpCidrs: ["10.0.0.0/8"] }, { url: "/", ip: "10.1.1.1" }, true],
  ["address, mapped", { sourceIpCidrs: ["10.0.0.0/8"] }, { url: "/", ip: "::ffff:10.1.1.1" }, true],
  ["address, unknown", { sourceIpCidrs: ["0.0.0.0/0"] }, { url: "/" }, false],
  ["any, one item matches", { any: [exact("/a"), exact("/b")] }, { url: "/b" }, true],
  ["any, no item matches", { any: [exact("/a"), exact("/b")] }, { url: "/c" }, false],
  ["any, host and path", { any: [{ host: "a.test" }, exact("/b")] }, { url: "/b" }, true],
  ["not", { not: prefix("/a") }, { url: "/b" }, true],
  ["not, holds", { not: prefix("/a") }, { url: "/a" }, false],
  [
    "not, needs all its fields",
    { not: { ...prefix("/a"), methods: ["PUT"] } },
    { url: "/a" },
    true,
  ],
  ["not, of an unknown value", { not: { geo: ["US"] } }, { url: "/" }, true],
  [
    "all fields",
    { ...exact("/a"), host: "a.test", geo: ["DE"] },
    { url: "http://a.test/a" },
    false,
  ],
];

Deno.test("evaluateRules() evaluates every condition", async (t) => {
  for (const [name, condition, request, holds] of CONDITIONS) {
    await t.step(name, () => {
      assert.equal(decide([[condition, LOG]], request).hits.length, holds ? 1 : 0);
    });
  }
});

Deno.test("evaluateRules() returns the same decision object if nothing matches", () => {
  assert.equal(decide([[exact("/a"), LOG]], "/b"), NO_DECISION);
  assert.equal(decide([], "/b"), NO_DECISION);
});

const DENY: Action = { type: "deny" };
const SET: Action = { type: "set_headers", headers: { "X-A": "1" } };
const limit = (mode: "shadow" | "enforce"): Action => ({
  type: "rate_limit",
  limit: 1,
  windowSeconds: 10,
  mode,
});
const to = (target: string, more: object = {}): Action => ({ type: "redirect", target, ...more });
const rewrite = (target: string, more: object = {}): Action => ({
  type: "rewrite",
  target,
  ...more,
});
const pipeline = (override = false): Action => ({
  type: "pipeline",
  steps: [{ handle: "origin" }],
  override,
});

const OVER = { rateLimited: () => true };
const FILE = { fileExists: () => true };

const ORDERS: readonly [name: string, rules: readonly ShortRule[], ids: string, hooks?: object][] =
  [
    ["allow ends the security phase", [[{}, LOG], [{}, { type: "allow" }], [{}, DENY]], "r0 r1"],
    ["allow does not affect other phases", [[{}, SET], [{}, { type: "allow" }]], "r1 r0"],
    ["deny ends everything", [[{}, SET], [{}, to("/x")], [{}, DENY], [{}, LOG]], "r2"],
    ["a shadow deny continues", [[{}, { ...DENY, mode: "shadow" }], [{}, LOG]], "r0 r1"],
    ["a limit that is not reached continues", [[{}, limit("enforce")], [{}, LOG]], "r0 r1"],
    ["a reached limit ends everything", [[{}, limit("enforce")], [{}, SET]], "r0", OVER],
    ["a shadow limit continues", [[{}, limit("shadow")], [{}, SET]], "r0 r1", OVER],
    ["the first redirect wins", [[{}, to("/x")], [{}, to("/y")]], "r0"],
    [
      "a redirect allows only header edits",
      [[{}, rewrite("/x")], [{}, SET], [{}, to("/x")]],
      "r2 r1",
    ],
    [
      "a redirect yields to a file",
      [[{}, to("/x", { ifNoFile: true })], [{}, to("/y")]],
      "r1",
      FILE,
    ],
    ["the first rewrite wins", [[{}, rewrite("/x")], [{}, rewrite("/y")]], "r0"],
    ["a rewrite yields to a file", [[{}, rewrite("/x", { ifNoFile: true })]], "", FILE],
    ["the first cache rule wins", [[{}, { type: "bypass_cache" }], [{}, {
      type: "cache",
      ttlSeconds: 1,
    }]], "r0"],
    ["an exact pipeline wins", [[prefix("/a/b"), pipeline()], [exact("/a/b"), pipeline()]], "r1"],
    ["a longer prefix wins", [[prefix("/a"), pipeline()], [glob("/a/*"), pipeline()]], "r1"],
    ["authored order breaks ties", [[prefix("/a/"), pipeline()], [glob("/a/*"), pipeline()]], "r0"],
    ["an override wins", [[exact("/a/b"), pipeline()], [{}, pipeline(true)]], "r1"],
    [
      "all header rules apply",
      [[{}, SET], [{}, { type: "remove_headers", headers: ["x-a"] }]],
      "r0 r1",
    ],
    ["a disabled rule is ignored", [[{}, DENY, { enabled: false }], [{}, LOG]], "r1"],
    ["conditions see the original path", [[{}, rewrite("/x")], [exact("/x"), SET]], "r0"],
  ];

Deno.test("evaluateRules() keeps the order of phases", async (t) => {
  for (const [name, rules, ids, hooks] of ORDERS) {
    await t.step(name, () => {
      assert.equal(matchedIds(decide(rules, "/a/b", hooks ?? {})).join(" "), ids);
    });
  }
});

Deno.test("evaluateRules() returns the status for denied and rate-limited requests", () => {
  const rule = { id: "r0", index: 0 };
  assert.deepEqual(decide([[{}, DENY]], "/").terminal, { type: "deny", status: 403, rule });
  assert.deepEqual(decide([[{}, { ...DENY, statusCode: 451 }]], "/").terminal, {
    type: "deny",
    status: 451,
    rule,
  });
  const limited = decide([[{}, limit("enforce")]], "/", OVER);
  assert.equal(limited.terminal.type, "rate_limited");
  assert.deepEqual(limited.headerEdits, []);
  assert.deepEqual(limited.hits, [{ type: "rate_limit", rule }]);
});

const LOCATIONS: readonly [condition: Condition, target: string, url: string, location: string][] =
  [
    [{}, "/x", "/a", "/x"],
    [{}, "/x", "/a?q=1", "/x?q=1"],
    [{}, "/x?p=2", "/a?q=1", "/x?p=2"],
    [{}, "/x?", "/a?q=1", "/x"],
    [{}, "/x#top", "/a?q=1", "/x?q=1#top"],
    [{}, "x", "/a", "/x"],
    [{}, "x", "/a/b?q=1", "/a/x?q=1"],
    [{}, "../x?p", "/a/b/c?q=1", "/a/x?p"],
    [{}, "?p", "/a/b?q=1", "/a/b?p"],
    [{}, "#top", "/a/b?q=1", "/a/b?q=1#top"],
    [{}, "https://b.test", "/a?q=1", "https://b.test/?q=1"],
    [{}, "/{{a}}", "/a", "/{a}"],
    [glob("/{a}/{r...}"), "/{r}/{a}", "/x/y/z", "/y/z/x"],
    [glob("/{r...}"), "/n/{r}", "/", "/n/"],
    [glob("/{a}"), "/?a={a}", "/x%26y+z", "/?a=x%26y%2Bz"],
    [glob("/{a}"), "https://b.test/{a}", "/%C3%A9", "https://b.test/%C3%A9"],
  ];

Deno.test("evaluateRules() resolves a redirect's target for the request", async (t) => {
  for (const [condition, target, url, location] of LOCATIONS) {
    await t.step(`${url} to ${target}`, () => {
      const { terminal } = decide([[condition, to(target)]], url);
      assert.equal(terminal.type === "redirect" && terminal.location, location);
    });
  }
});

Deno.test("evaluateRules() replaces a redirect status other than 3xx with 302", () => {
  for (const [statusCode, served] of [[301, 301], [308, 308], [200, 302], [-1, 302]] as const) {
    const { terminal } = decide([[{}, to("/x", { statusCode })]], "/");
    assert.equal(terminal.type === "redirect" && terminal.status, served);
  }
});

Deno.test("evaluateRules() rewrites to paths on the site and to other sites", () => {
  const rule = { id: "r0", index: 0 };
  const inside = decide([[glob("/{a...}"), rewrite("/x//{a}/../y")]], "/p/q?z=1").rewrite;
  assert.deepEqual(inside, { type: "internal", path: "/x/p/y", query: "z=1", rule });
  const outside = decide(
    [[glob("/{a...}"), rewrite("https://b.test/{a}?k={a}", { external: true })]],
    "/p/q?z=1",
  ).rewrite;
  assert.deepEqual(outside, { type: "external", url: "https://b.test/p/q?k=p/q&z=1", rule });
});

Deno.test("rewriteChanged() applies to a changed path as long as the rule matches it", () => {
  const rule = { id: "r0", index: 0 };
  const compiled = compileAll([
    [glob("/api/{a...}"), rewrite("https://b.test/{a}", { external: true })],
    [{}, { type: "log" }],
  ]);
  const changed = (path: string) => rewriteChanged(compiled, rule, { path, rawQuery: "z=1" });
  assert.deepEqual(changed("/api/q"), { type: "external", url: "https://b.test/q?z=1", rule });
  assert.equal(changed("/other"), undefined);
  assert.equal(
    rewriteChanged(compiled, { id: "r1", index: 1 }, { path: "/", rawQuery: "" }),
    undefined,
  );
});

Deno.test("evaluateRules() edits headers in order and with captures", () => {
  const rules: readonly ShortRule[] = [
    [glob("/{a}"), { type: "set_headers", headers: { "X-A": "{a}; {{a}}", "x-b": "é" } }],
    [{}, { type: "remove_headers", headers: ["Server"] }],
  ];
  assert.deepEqual(decide(rules, "/v%0a").headerEdits, [
    { type: "set", name: "x-a", value: "v%0A; {a}" },
    { type: "set", name: "x-b", value: "é" },
    { type: "remove", name: "server" },
  ]);
});

Deno.test("evaluateRules() returns the dimensions of a cached response", () => {
  const condition: Condition = {
    headers: { "Accept-Language": "de" },
    any: [{ cookies: { c: "1" } }, { query: { q: "1" } }],
    not: { cookies: { d: "1" } },
  };
  const action: Action = { type: "cache", ttlSeconds: 5, vary: ["query", "header", "cookie"] };
  const { cache } = decide([[condition, action]], {
    url: "/?q=1",
    headers: { "accept-language": "de" },
  });
  assert.deepEqual(cache?.type === "cache" && cache.varyNames, {
    headers: ["accept-language"],
    cookies: ["c", "d"],
    query: ["q"],
  });
});

Deno.test("evaluateRules() looks up a file at most once", () => {
  const asked: string[] = [];
  const fileExists = (path: string) => asked.push(path) > 0;
  const rules = ["/x", "/y"].map((target): ShortRule => [{}, to(target, { ifNoFile: true })]);
  decide(rules, "/a/../b", { fileExists });
  assert.deepEqual(asked, ["/b"]);
});
