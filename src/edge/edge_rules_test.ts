import assert from "node:assert/strict";
import type { Action, Condition, Rule } from "../rules/mod.ts";
import { runtimeRules, testEdge, testSite } from "./_test_site.ts";
import { SiteAccess } from "./access/site_access.ts";
import { atHost, ruleCounts, withRules } from "./site/site.ts";

const FILES = {
  "index.html": "home",
  "about.html": "about",
  "files/a.txt": "file a",
  "404.html": "not here",
};

const DENY: Action = { type: "deny" };
const BLOCK: Action = { type: "deny", statusCode: 451 };
const rule = (condition: Condition | undefined, action: Action, id = "rule"): Rule => ({
  id,
  action,
  ...(condition === undefined ? {} : { condition }),
});

const edgeWith = (rules: readonly Rule[]) => testEdge(testSite(FILES, { rules }).site);

const geo = { country: (address: string) => address === "198.51.100.7" ? "DE" : "US" };
const asn = { asn: (address: string) => address === "198.51.100.7" ? 64496 : 64511 };

interface Request {
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly from?: string;
}

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 " +
  "(KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1";

/** Each condition, with a request that matches it and one that does not. */
const conditions: readonly (readonly [name: string, Condition, takes: Request, leaves: Request])[] =
  [
    ["exact path", { path: { type: "exact", value: "/about" } }, { path: "/about" }, {
      path: "/about.html",
    }],
    ["prefix", { path: { type: "prefix", value: "/files/" } }, { path: "/files/a.txt" }, {
      path: "/about",
    }],
    ["glob", { path: { type: "glob", value: "/files/{name}" } }, { path: "/files/a.txt" }, {
      path: "/files/a/b",
    }],
    ["methods", { methods: ["POST"] }, { method: "POST" }, { method: "GET" }],
    ["method", { method: ["HEAD"] }, { method: "HEAD" }, { method: "GET" }],
    ["host", { host: "SITE.test" }, {}, { headers: { host: "other.test" } }],
    ["headers", { headers: { "X-Tag": "a" } }, { headers: { "x-tag": "a" } }, {
      headers: { "x-tag": "b" },
    }],
    ["query", { query: { q: "ä b" } }, { path: "/about?q=%C3%A4+b" }, { path: "/about?q=b" }],
    ["cookies", { cookies: { session: "1" } }, { headers: { cookie: "a=b; session=1" } }, {
      headers: { cookie: "session=2" },
    }],
    ["geo", { geo: ["de"] }, { from: "198.51.100.7" }, { from: "192.0.2.1" }],
    ["asn", { asn: [64496] }, { from: "198.51.100.7" }, { from: "192.0.2.1" }],
    ["device", { device: "mobile" }, { headers: { "user-agent": IPHONE } }, {
      headers: { "user-agent": "curl/8.5.0" },
    }],
    ["device bot", { device: "bot" }, { headers: { "user-agent": "curl/8.5.0" } }, {
      headers: { "user-agent": IPHONE },
    }],
    ["IPv4 block", { sourceIpCidrs: ["198.51.100.0/24"] }, { from: "198.51.100.7" }, {
      from: "198.51.101.7",
    }],
    ["IPv4 block, mapped client", { sourceIpCidrs: ["198.51.100.0/24"] }, {
      from: "::ffff:198.51.100.7",
    }, { from: "::ffff:198.51.101.7" }],
    ["IPv6 block", { sourceIpCidrs: ["2001:db8::/32"] }, { from: "2001:db8::7" }, {
      from: "2001:db9::7",
    }],
    ["any", { any: [{ geo: ["DE"] }, { methods: ["POST"] }] }, { method: "POST" }, {}],
    ["not", { not: { geo: ["DE"] } }, { from: "192.0.2.1" }, { from: "198.51.100.7" }],
  ];

for (const [name, condition, takes, leaves] of conditions) {
  Deno.test(`edge evaluates the condition: ${name}`, async () => {
    const { site } = testSite(FILES, { rules: [rule(condition, BLOCK)] });
    const edge = testEdge(site, { geo, asn, resolveHost: () => site });
    const send = ({ path = "/about", headers = {}, ...init }: Request) => {
      const { host = "site.test", ...rest } = headers;
      return edge.fetch(`http://${host}${path}`, { ...init, headers: rest });
    };
    assert.equal((await send(takes)).status, 451);
    assert.notEqual((await send(leaves)).status, 451);
  });
}

interface Scenario {
  readonly name: string;
  readonly rules: readonly Rule[];
  readonly path?: string;
  readonly method?: string;
  readonly status: number;
  readonly body?: string;
  readonly has?: Record<string, string | null>;
  readonly traces?: readonly string[];
}

const at = (value: string): Condition => ({ path: { type: "glob", value } });

const scenarios: readonly Scenario[] = [
  {
    name: "deny responds with 403 and is recorded",
    rules: [rule(at("/about"), DENY)],
    status: 403,
    has: { "x-svc-deployment": "deployment-1", "x-svc-request-id": "r1" },
    traces: ["rule deny denied"],
  },
  {
    name: "deny with a custom status",
    rules: [rule(undefined, { type: "deny", statusCode: 503 })],
    status: 503,
  },
  {
    name: "deny in shadow mode only records the request",
    rules: [rule(undefined, { type: "deny", mode: "shadow" })],
    status: 200,
    body: "about",
    traces: ["rule deny shadowed"],
  },
  {
    name: "log records the request, and the evaluation continues",
    rules: [rule(undefined, { type: "log" })],
    status: 200,
    traces: ["rule log logged"],
  },
  {
    name: "allow ends the security phase only",
    rules: [
      rule(undefined, { type: "allow" }, "allow"),
      rule(undefined, DENY, "deny"),
      rule(undefined, { type: "set_headers", headers: { "x-a": "1" } }, "headers"),
    ],
    status: 200,
    has: { "x-a": "1" },
    traces: [],
  },
  {
    name: "redirect keeps the query",
    rules: [rule(at("/old/{rest...}"), { type: "redirect", target: "/new/{rest}" })],
    path: "/old/a/b%20c?x=1",
    status: 302,
    body: "",
    has: {
      location: "/new/a/b%20c?x=1",
      "x-svc-deployment": "deployment-1",
      "x-svc-request-id": "r1",
    },
  },
  {
    name: "redirect with a separate query",
    rules: [rule(undefined, { type: "redirect", target: "https://a.test/?y=2", statusCode: 308 })],
    path: "/about?x=1",
    status: 308,
    has: { location: "https://a.test/?y=2" },
  },
  {
    name: "redirect if there is no file",
    rules: [rule(undefined, { type: "redirect", target: "/about", ifNoFile: true })],
    path: "/nowhere",
    status: 302,
  },
  {
    name: "no redirect if there is a file",
    rules: [rule(undefined, { type: "redirect", target: "/", ifNoFile: true })],
    status: 200,
    body: "about",
  },
  {
    name: "rewrite serves another file at the same URL",
    rules: [rule(at("/app/**"), { type: "rewrite", target: "/index.html" })],
    path: "/app/some/page",
    status: 200,
    body: "home",
  },
  {
    name: "rewrite with a capture",
    rules: [rule(at("/get/{name}"), { type: "rewrite", target: "/files/{name}.txt" })],
    path: "/get/a",
    status: 200,
    body: "file a",
  },
  {
    name: "rewrite to a missing file",
    rules: [rule(undefined, { type: "rewrite", target: "/nowhere" })],
    status: 404,
    body: "not here",
  },
  {
    name: "rewrite if there is no file, as single-page apps need",
    rules: [rule(undefined, { type: "rewrite", target: "/", ifNoFile: true })],
    path: "/deep/link",
    status: 200,
    body: "home",
  },
  {
    name: "a file takes precedence over a rewrite with ifNoFile",
    rules: [rule(undefined, { type: "rewrite", target: "/", ifNoFile: true })],
    status: 200,
    body: "about",
  },
  {
    name: "conditions see the original request after a rewrite",
    rules: [
      rule(at("/app"), { type: "rewrite", target: "/about" }, "rewrite"),
      rule(at("/about"), { type: "set_headers", headers: { "x-at": "about" } }, "about"),
      rule(at("/app"), { type: "set_headers", headers: { "x-at": "app" } }, "app"),
    ],
    path: "/app",
    status: 200,
    has: { "x-at": "app" },
  },
  {
    name: "set_headers on a file overrides the edge's own headers",
    rules: [rule(undefined, { type: "set_headers", headers: { "Cache-Control": "max-age=60" } })],
    status: 200,
    has: { "cache-control": "max-age=60" },
  },
  {
    name: "set_headers on a redirect",
    rules: [
      rule(undefined, { type: "redirect", target: "/" }, "redirect"),
      rule(undefined, { type: "set_headers", headers: { "x-a": "1" } }, "headers"),
    ],
    status: 302,
    has: { "x-a": "1" },
  },
  {
    name: "set_headers on a 404",
    rules: [rule(undefined, { type: "set_headers", headers: { "x-a": "1" } })],
    path: "/nowhere",
    status: 404,
    has: { "x-a": "1" },
  },
  {
    name: "set_headers on a 405",
    rules: [rule(undefined, { type: "set_headers", headers: { "x-a": "1" } })],
    method: "POST",
    status: 405,
    has: { "x-a": "1" },
  },
  {
    name: "no set_headers on a security block",
    rules: [
      rule(undefined, { type: "set_headers", headers: { "x-a": "1" } }, "headers"),
      rule(undefined, DENY, "deny"),
    ],
    status: 403,
    has: { "x-a": null },
  },
  {
    name: "header rules in order, with a capture and an escape",
    rules: [
      rule(
        at("/{page}"),
        { type: "set_headers", headers: { "x-a": "1", "x-b": "{page}{{page}}" } },
        "1",
      ),
      rule(undefined, { type: "remove_headers", headers: ["X-A", "etag"] }, "2"),
      rule(undefined, { type: "set_headers", headers: { "x-c": "3" } }, "3"),
    ],
    status: 200,
    has: { "x-a": null, etag: null, "x-b": "about{page}", "x-c": "3" },
  },
  {
    name: "a removed content-type stays removed",
    rules: [rule(undefined, { type: "remove_headers", headers: ["Content-Type"] })],
    status: 200,
    body: "about",
    has: { "content-type": null },
  },
  {
    name: "the fields that identify a response cannot be changed",
    rules: [
      rule(undefined, { type: "remove_headers", headers: ["x-svc-deployment"] }, "1"),
      rule(undefined, { type: "set_headers", headers: { "x-svc-request-id": "mine" } }, "2"),
    ],
    status: 200,
    has: { "x-svc-deployment": "deployment-1", "x-svc-request-id": "r1" },
  },
  {
    name: "a disabled rule does nothing",
    rules: [{ ...rule(undefined, DENY), enabled: false }],
    status: 200,
  },
];

for (
  const { name, rules, path = "/about", method = "GET", status, body, has = {}, traces }
    of scenarios
) {
  Deno.test(`edge applies rules: ${name}`, async () => {
    const edge = edgeWith(rules);
    const response = await edge.fetch(path, { method });
    assert.equal(response.status, status);
    if (body !== undefined) assert.equal(await response.text(), body);
    for (const [field, value] of Object.entries(has)) {
      assert.equal(response.headers.get(field), value, field);
    }
    if (traces === undefined) return;
    const seen = edge.records[0]!.rules ?? [];
    assert.deepEqual(seen.map((hit) => `${hit.ruleId} ${hit.action} ${hit.outcome}`), traces);
  });
}

Deno.test("the edge counts how often each rule takes effect or is logged", async () => {
  const { site } = testSite(FILES, {
    rules: [
      { ...rule(undefined, DENY, "off"), enabled: false },
      rule(undefined, { type: "log" }, "log"),
      rule(at("/about"), { type: "deny", mode: "shadow" }, "shadow"),
      rule(at("/never"), DENY, "never"),
    ],
  });
  const edge = testEdge(site);
  await edge.fetch("/about");
  await edge.fetch("/");
  assert.deepEqual(ruleCounts(site), [
    { ruleId: "off", count: 0 },
    { ruleId: "log", count: 2 },
    { ruleId: "shadow", count: 1 },
    { ruleId: "never", count: 0 },
  ]);
});

Deno.test("withRules() changes the rules and shares the content", async () => {
  const { site } = testSite(FILES, { rules: [rule(undefined, DENY)] });
  const open = withRules(site, null);
  const redirecting = withRules(
    site,
    runtimeRules([rule(undefined, { type: "redirect", target: "/x" })]),
  );
  assert.equal(open.content, site.content);
  assert.equal((await testEdge(site).fetch("/about")).status, 403);
  assert.equal((await testEdge(open).fetch("/about")).status, 200);
  assert.equal((await testEdge(redirecting).fetch("/about")).status, 302);
  assert.deepEqual(ruleCounts(open), []);
});

Deno.test("responses with noindex have X-Robots-Tag unless a rule changes it", async () => {
  const { site } = testSite({ "index.html": "home", "open.html": "open", "a.html": "a" }, {
    rules: [
      {
        id: "open",
        condition: { path: { type: "exact", value: "/open" } },
        action: { type: "remove_headers", headers: ["X-Robots-Tag"] },
      },
      {
        id: "own",
        condition: { path: { type: "exact", value: "/a" } },
        action: { type: "set_headers", headers: { "X-Robots-Tag": "noarchive" } },
      },
      {
        id: "moved",
        condition: { path: { type: "exact", value: "/moved" } },
        action: { type: "redirect", target: "/" },
      },
    ],
  });
  const rows = [["/", "noindex"], ["/none", "noindex"], ["/moved", "noindex"], ["/open", null], [
    "/a",
    "noarchive",
  ]] as const;
  const access = new SiteAccess("project-1", {
    version: "",
    protection: "off",
    workspaceId: "w1",
    passwordId: null,
    bypassHash: null,
    shares: [],
    allowCidrs: [],
    exemptPaths: [],
    exemptOptions: false,
    maintenance: null,
  });
  const preview = testEdge(atHost(site, { isProduction: false, access }));
  const production = testEdge(atHost(site, { isProduction: true, access }));
  for (const [path, robots] of rows) {
    for (let round = 0; round < 2; round++) {
      const { headers } = await preview.fetch(path);
      assert.equal(headers.get("x-robots-tag"), robots, path);
    }
  }
  for (const path of ["/", "/none", "/moved"]) {
    assert.equal((await production.fetch(path)).headers.get("x-robots-tag"), null, path);
  }
});
