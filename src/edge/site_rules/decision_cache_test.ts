import assert from "node:assert/strict";
import { compileRules, createFacts, evaluateRules, type Rule } from "../../rules/mod.ts";
import { runtimeRules } from "../_test_site.ts";
import { DecisionCache } from "./decision_cache.ts";

const LONG = "x".repeat(3000);
const BELOW = { path: { type: "glob", value: "/{all...}" } } as const;

/** Returns whether the decision for a page is cached. */
function isRemembered(rules: readonly Rule[], path = "/page"): boolean {
  const compiled = compileRules(runtimeRules(rules));
  const known = { compiled, identity: Symbol() };
  const facts = createFacts({
    method: "GET",
    host: "site.test",
    path,
    rawQuery: "",
    header: () => undefined,
  });
  const decision = evaluateRules(compiled, facts, {
    fileExists: () => false,
    rateLimited: () => false,
  });
  const [memo, url] = [new DecisionCache(), `http://site.test${path}`];
  const remembered = memo.put(url, known, { facts, decision });
  assert.equal(memo.get(url, known), remembered);
  return remembered !== undefined;
}

const logs = (count: number) =>
  Array.from({ length: count }, (_, index): Rule => ({ id: `l${index}`, action: { type: "log" } }));

const TARGETS: readonly [string, Rule["action"]][] = [
  ["redirect", { type: "redirect", target: `/${LONG}` }],
  ["rewrite", { type: "rewrite", target: `/${LONG}` }],
  ["external rewrite", { type: "rewrite", target: `https://x.test/${LONG}`, external: true }],
  ["query", { type: "rewrite", target: `/a?${LONG}` }],
  ["header", { type: "set_headers", headers: { "x-a": `{all}${LONG}` } }],
];

for (const [name, action] of TARGETS) {
  Deno.test(`put() keeps no decision with a very long ${name}`, () => {
    assert.equal(isRemembered([{ id: "long", condition: BELOW, action }]), false);
  });
}

Deno.test("put() keeps a decision of a few rules, but not of thousands", () => {
  assert.equal(isRemembered(logs(16)), true);
  assert.equal(isRemembered(logs(3000)), false);
});

Deno.test("put() keeps nothing for a very long URL", () => {
  assert.equal(isRemembered(logs(1), "/short"), true);
  assert.equal(isRemembered(logs(1), `/${LONG}`), false);
});
