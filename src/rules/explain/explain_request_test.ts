import assert from "node:assert/strict";
import fc from "fast-check";
import { anyRequest, anyRuleSet } from "../../../tests/rules/generate.ts";
import { compileAll, factsOf, NO_HOOKS, type ShortRule } from "../_test_rules.ts";
import { compileRules } from "../compile/compile_rules.ts";
import { evaluateRules } from "../evaluate/evaluate_rules.ts";
import type { DescribedRequest } from "../request/facts.ts";
import { normalizeRules } from "../rule_set/normalize.ts";
import type { Condition } from "../rule_set/types.ts";
import { explainRequest } from "./explain_request.ts";

function explain(rules: readonly ShortRule[], request: DescribedRequest | string, hooks = {}) {
  return explainRequest(compileAll(rules), factsOf(request), { ...NO_HOOKS, ...hooks });
}

const REQUEST: DescribedRequest = {
  url: "http://a.test/x?q=1",
  headers: { "x-a": "1", cookie: "c=1" },
  ip: "10.0.0.1",
  country: "DE",
};

const MISMATCHES: readonly [condition: Condition, field: string, wanted: string, seen: string][] = [
  [{ path: { type: "prefix", value: "/y" } }, "path", "prefix /y", "/x"],
  [{ methods: ["PUT", "POST"] }, "methods", "one of POST, PUT", "GET"],
  [{ host: "b.test" }, "host", "b.test", "a.test"],
  [{ headers: { "x-a": "1", "x-b": "2" } }, "headers.x-b", '"2"', "absent"],
  [{ headers: { "x-a": "2" } }, "headers.x-a", '"2"', '"1"'],
  [{ query: { q: "2" } }, "query.q", '"2"', '"1"'],
  [{ cookies: { d: "2" } }, "cookies.d", '"2"', "absent"],
  [{ geo: ["FR"] }, "geo", "FR", "DE"],
  [{ asn: [1, 2] }, "asn", "one of 1, 2", "unknown"],
  [{ device: "bot" }, "device", "bot", "unknown"],
  [{ sourceIpCidrs: ["192.0.2.0/24"] }, "sourceIpCidrs", "192.0.2.0/24", "10.0.0.1"],
  [
    { not: { geo: ["DE"] } },
    "not",
    "a request that does not match the condition in `not`",
    "it matches: geo",
  ],
  [
    { any: [{ host: "b.test" }, { geo: ["FR"] }] },
    "any",
    "one of 2 alternatives",
    "none: any[0].host is a.test, not b.test; any[1].geo is DE, not FR",
  ],
];

Deno.test("explainRequest() names the first field that does not match", async (t) => {
  for (const [condition, field, wanted, seen] of MISMATCHES) {
    await t.step(`${field} wants ${wanted}`, () => {
      const [rule] = explain([[condition, { type: "log" }]], REQUEST).rules;
      assert.deepEqual(rule?.outcome, { state: "not_matched", mismatch: { field, wanted, seen } });
    });
  }
});

const SKIPS: readonly [
  name: string,
  rules: readonly ShortRule[],
  reason: RegExp,
  hooks?: object,
][] = [
  ["allowed", [[{}, { type: "allow" }], [{}, { type: "deny" }]], /"r0" allows the request/],
  ["denied", [[{}, { type: "deny" }], [{}, { type: "redirect", target: "/y" }]], /"r0" responds/],
  [
    "second",
    [[{}, { type: "redirect", target: "/y" }], [{}, { type: "redirect", target: "/z" }]],
    /"r0" comes first/,
  ],
  [
    "redirected",
    [[{}, { type: "redirect", target: "/y" }], [{}, { type: "bypass_cache" }]],
    /"r0" responds/,
  ],
  [
    "a file",
    [[{}, { type: "log" }], [{}, { type: "rewrite", target: "/y", ifNoFile: true }]],
    /static file/,
    { fileExists: () => true },
  ],
];

Deno.test("explainRequest() reports why a rule that matches had no effect", async (t) => {
  for (const [name, rules, reason, hooks] of SKIPS) {
    await t.step(name, () => {
      const rule = explain(rules, "/x", hooks).rules.find(({ id }) => id === "r1");
      assert.ok(rule?.outcome.state === "skipped");
      assert.match(rule.outcome.reason, reason);
    });
  }
});

Deno.test("explainRequest() lists disabled rules and summarizes the decision", () => {
  const rules: readonly ShortRule[] = [
    [{}, { type: "deny" }, { enabled: false, name: "Closed" }],
    [{ path: { type: "glob", value: "/{a}" } }, { type: "rewrite", target: "/y/{a}" }],
    [{}, { type: "set_headers", headers: { "x-a": "1" } }],
    [{}, { type: "cache", ttlSeconds: 60 }],
    [{}, { type: "pipeline", steps: [{ use: "auth", mode: "request" }, { handle: "origin" }] }],
    [{}, { type: "deny", mode: "shadow" }],
  ];
  const explanation = explain(rules, "/x/../p?q");
  assert.deepEqual(explanation.request, {
    method: "GET",
    host: "localhost",
    path: "/p",
    rawQuery: "q",
  });
  assert.deepEqual(explanation.rules.map(({ id, phase }) => `${id} ${phase}`), [
    "r5 security",
    "r1 rewrite",
    "r3 cache",
    "r4 pipeline",
    "r2 headers",
    "r0 security",
  ]);
  const closed = explanation.rules.at(-1);
  assert.deepEqual([closed?.name, closed?.outcome], ["Closed", { state: "disabled" }]);
  assert.deepEqual(explanation.summary, [
    "Continues to the routes",
    'Is rewritten to /y/p?q (rule "r1")',
    'Is not cached (rule "r3"): the site\'s own files are already in memory',
    'Runs the pipeline of rule "r4":',
    "  request step auth, before the cache: a failure ends the request",
    "  continues to the origin",
    "Sets x-a: 1",
    'Would be denied (rule "r5", in shadow mode)',
  ]);
});

Deno.test("explainRequest() shows limits, proxy, cache and the order of steps", () => {
  const { summary } = explain([
    [{}, { type: "rate_limit", limit: 5, windowSeconds: 10 }],
    [{}, { type: "rate_limit", limit: 9, windowSeconds: 60, key: "host", mode: "shadow" }],
    [{}, { type: "rewrite", target: "https://up.test/x", external: true }],
    [{}, { type: "cache", ttlSeconds: 60, swrSeconds: 30, vary: ["device", "geo"] }],
    [{}, {
      type: "pipeline",
      steps: [
        { use: "variant", mode: "request", failure: "open", cachePosition: "after" },
        { use: "auth", as: "user", mode: "request" },
        { handle: "api" },
        { use: "mark", mode: "response", cachePosition: "after" },
        { use: "count", mode: "observe" },
      ],
    }],
  ], "/p");
  assert.deepEqual(summary, [
    "Continues to the routes",
    'Is fetched from https://up.test/x (rule "r2")',
    'Is cached for 60 seconds, served stale for 30 more, varies by geo, device (rule "r3")',
    'Runs the pipeline of rule "r4":',
    "  request step auth as user, before the cache: a failure ends the request",
    "  request step variant, after the cache: a failure is ignored",
    "  function api responds",
    "  response step mark, after the cache: a failure is ignored",
    "  observe step count: delays nothing",
    'Counts toward 5 requests in 10 seconds by ip (rule "r0")',
    'Counts toward 9 requests in 60 seconds by host, in shadow mode (rule "r1")',
  ]);
});

Deno.test("explainRequest() agrees with the evaluator for any rules", () => {
  fc.assert(fc.property(anyRuleSet, anyRequest, (set, request) => {
    const compiled = compileRules(normalizeRules(set));
    const facts = factsOf(request);
    const decision = evaluateRules(compiled, facts, NO_HOOKS);
    const { rules, decision: explained } = explainRequest(compiled, facts, NO_HOOKS);
    assert.deepEqual(explained, decision);
    assert.equal(rules.length, set.rules.length);
    for (const { index, outcome } of rules) {
      assert.equal(outcome.state === "applied", decision.matched.includes(index));
    }
  }));
});
