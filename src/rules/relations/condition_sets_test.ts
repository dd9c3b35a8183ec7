import assert from "node:assert/strict";
import fc from "fast-check";
import { aimAt, anyRequest, anyRuleSet } from "../../../tests/rules/generate.ts";
import { ConditionMatcher } from "../compile/condition.ts";
import { type DescribedRequest, factsFromRequest, type RequestFacts } from "../request/facts.ts";
import { normalizeRules } from "../rule_set/normalize.ts";
import type { RuntimeCondition } from "../rule_set/types.ts";
import { conditionContains, conditionsDisjoint, conditionSetOf } from "./condition_sets.ts";

/** `FUZZ_RUNS` starts a long random run; without it, every run uses the same seed. */
const LONG_RUN = Deno.env.get("FUZZ_RUNS");
const RUNS = Number(LONG_RUN ?? 20);
const CHANCE = LONG_RUN === undefined ? { numRuns: RUNS, seed: 1 } : { numRuns: RUNS };

function factsOf(request: DescribedRequest): RequestFacts[] {
  const facts = factsFromRequest(request);
  return "rejected" in facts ? [] : [facts];
}

Deno.test("conditionContains() and conditionsDisjoint() never return a result that a request disproves", () => {
  let contained = 0;
  let disjoint = 0;
  fc.assert(
    fc.property(anyRuleSet, fc.array(anyRequest, { minLength: 5 }), (ruleSet, requests) => {
      const conditions = normalizeRules(ruleSet).rules.map((rule) => rule.condition);
      const sets = conditions.map(conditionSetOf);
      const matchers = conditions.map((condition) => new ConditionMatcher(condition));
      const holds = (index: number, facts: RequestFacts) =>
        matchers[index]!.failing(facts) === undefined;
      for (const [i, inner] of conditions.entries()) {
        const hits = requests.flatMap((request) => [request, aimAt(request, inner)])
          .flatMap(factsOf).filter((facts) => holds(i, facts));
        for (const [o, outer] of conditions.entries()) {
          const [a, b] = [sets[o]!, sets[i]!];
          const isContained = conditionContains(a, b);
          const isDisjoint = conditionsDisjoint(a, b);
          if (hits.length > 0 && o !== i) {
            contained += Number(isContained);
            disjoint += Number(isDisjoint);
          }
          for (const facts of isContained || isDisjoint ? hits : []) {
            const found = holds(o, facts);
            const isDisproved = isContained ? !found : found;
            assert.ok(!isDisproved, isDisproved ? JSON.stringify({ outer, inner, facts }) : "");
          }
        }
      }
    }),
    CHANCE,
  );
  assert.ok(contained > RUNS / 10 && disjoint > RUNS / 10, `${contained} ${disjoint}`);
});

Deno.test("conditionContains() proves the expected cases", () => {
  const glob = (value: string): RuntimeCondition =>
    normalizeRules({
      schemaVersion: "EDGE_RULE_SET_V1",
      rules: [{
        id: "a",
        condition: { path: { type: "glob", value } },
        action: { type: "log" },
      }],
    }).rules[0]!.condition;
  const exact = (value: string): RuntimeCondition => ({ path: { type: "exact", value } });
  const rows: readonly [string, RuntimeCondition, RuntimeCondition, boolean][] = [
    ["all contains anything", {}, exact("/a"), true],
    ["a path contains less than all", exact("/a"), {}, false],
    ["/** holds all", glob("/**"), {}, true],
    ["a splat is a prefix", glob("/a/{r...}"), exact("/a/b/c"), true],
    ["but not a prefix of its folder's name", glob("/a/{r...}"), exact("/a"), false],
    ["* contains a capture", glob("/a/*"), glob("/a/{x}"), true],
    ["a capture is not empty", glob("/a/{x}"), glob("/a/*"), false],
    ["methods", { methods: ["GET", "HEAD"] }, { methods: ["GET"] }, true],
    ["networks", { sourceIpCidrs: ["10.0.0.0/8"] }, { sourceIpCidrs: ["10.1.0.0/16"] }, true],
    ["any", { any: [{ geo: ["DE"] }, { geo: ["FR"] }] }, { geo: ["DE"] }, true],
    ["not", { not: { device: "bot" } }, { device: "mobile" }, true],
    ["the same not", { not: { device: "bot" } }, { not: { device: "bot" } }, true],
    ["headers", { headers: { a: "1" } }, { headers: { a: "1", b: "2" } }, true],
    ["other headers", { headers: { a: "1" } }, { headers: { a: "2" } }, false],
  ];
  for (const [name, outer, inner, wanted] of rows) {
    assert.equal(conditionContains(conditionSetOf(outer), conditionSetOf(inner)), wanted, name);
  }
});
