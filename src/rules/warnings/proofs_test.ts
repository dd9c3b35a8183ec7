import assert from "node:assert/strict";
import fc from "fast-check";
import { aimAt, anyRequest, anyRuleSet } from "../../../tests/rules/generate.ts";
import { found } from "../_test_rules.ts";
import { compileRules } from "../compile/compile_rules.ts";
import { evaluateRules } from "../evaluate/evaluate_rules.ts";
import { factsFromRequest } from "../request/facts.ts";
import { normalizeRules } from "../rule_set/normalize.ts";
import { startPace } from "../work.ts";
import { ConditionMatcher } from "../compile/condition.ts";
import type { RuntimeCondition } from "../rule_set/types.ts";
import { warnDeadConditions } from "./dead_conditions.ts";
import { warnUnreachable } from "./unreachable.ts";

/** `FUZZ_RUNS` starts a long random run; without it, every run uses the same seed. */
const LONG_RUN = Deno.env.get("FUZZ_RUNS");
const RUNS = Number(LONG_RUN ?? 60);
const CHANCE = LONG_RUN === undefined ? { numRuns: RUNS, seed: 1 } : { numRuns: RUNS };

Deno.test("warnUnreachable() reports no rule that a request reaches", () => {
  let named = 0;
  fc.assert(
    fc.property(
      anyRuleSet,
      fc.array(anyRequest, { minLength: 5 }),
      fc.boolean(),
      (ruleSet, requests, hasFile) => {
        const runtime = normalizeRules(ruleSet);
        const placed = runtime.rules.map((rule, index) => ({ index, rule }));
        const dead = new Set(
          found(warnUnreachable(placed, startPace())).map((finding) => finding.path[1]),
        );
        named += dead.size;
        if (dead.size === 0) return;
        const compiled = compileRules(runtime);
        const aimed = [...dead].flatMap((index) =>
          requests.map((request) => aimAt(request, runtime.rules[Number(index)]!.condition))
        );
        for (const request of [...requests, ...aimed]) {
          const facts = factsFromRequest(request);
          if ("rejected" in facts) continue;
          const { matched } = evaluateRules(compiled, facts, {
            fileExists: () => hasFile,
            rateLimited: () => false,
          });
          for (const index of matched) {
            assert.ok(!dead.has(index), JSON.stringify({ index, request, runtime }));
          }
        }
      },
    ),
    CHANCE,
  );
  assert.ok(named > RUNS / 10, String(named));
});

/** Conditions with a `not` or an item of `any` that can contradict the rest of the condition. */
const anyCondition = fc.tuple(anyRuleSet, fc.boolean()).map(([ruleSet, isNot]) => {
  const { rules } = normalizeRules(ruleSet);
  const leaf = ({ any: _, not: __, ...rest }: RuntimeCondition) => rest;
  return rules.slice(1).map(({ condition }, index) => {
    const other = leaf(rules[index]!.condition);
    return isNot ? { ...leaf(condition), not: other } : { ...leaf(condition), any: [other] };
  });
});

Deno.test("warnDeadConditions() reports no condition that a request matches", () => {
  let named = 0;
  fc.assert(
    fc.property(anyCondition, fc.array(anyRequest, { minLength: 5 }), (conditions, requests) => {
      const rules = conditions.map((condition, index) => ({
        index,
        rule: normalizeRules({
          schemaVersion: "EDGE_RULE_SET_V1",
          rules: [{ id: `${index}`, condition, action: { type: "log" } }],
        }).rules[0]!,
      }));
      for (const { path } of found(warnDeadConditions(rules, startPace()))) {
        named += 1;
        const { condition } = rules[Number(path[1])]!.rule;
        const compiled = new ConditionMatcher(condition);
        for (const request of [...requests, ...requests.map((one) => aimAt(one, condition))]) {
          const facts = factsFromRequest(request);
          if ("rejected" in facts) continue;
          assert.ok(compiled.failing(facts) !== undefined, JSON.stringify({ request, condition }));
        }
      }
    }),
    CHANCE,
  );
  assert.ok(named > RUNS / 10, String(named));
});
