import assert from "node:assert/strict";
import fc from "fast-check";
import { aimAt, anyRequest, anyRuleSet } from "../../../tests/rules/generate.ts";
import { found } from "../_test_rules.ts";
import { compileRules } from "../compile/compile_rules.ts";
import { ConditionMatcher } from "../compile/condition.ts";
import { evaluateRules } from "../evaluate/evaluate_rules.ts";
import { factsFromRequest } from "../request/facts.ts";
import { normalizeRules } from "../rule_set/normalize.ts";
import type { PipelineStep, RuleSet, RuntimeRule } from "../rule_set/types.ts";
import { startPace } from "../work.ts";
import { checkGates } from "./gates.ts";

/** `FUZZ_RUNS` starts a long random run; without it, every run uses the same seed. */
const LONG_RUN = Deno.env.get("FUZZ_RUNS");
const RUNS = Number(LONG_RUN ?? 150);
const CHANCE = LONG_RUN === undefined ? { numRuns: RUNS, seed: 1 } : { numRuns: RUNS };

/** Sets with only a few rules, so that some of them repeat every gate. */
const anyPipelines: fc.Arbitrary<RuleSet> = fc.tuple(
  anyRuleSet,
  fc.array(
    fc.record({
      gates: fc.subarray(["g", "h"]),
      override: fc.boolean(),
      inheritGate: fc.integer({ min: 0, max: 3 }).map((roll) => roll > 0),
    }),
    { minLength: 2, maxLength: 4 },
  ),
).map(([ruleSet, actions]) => ({
  ...ruleSet,
  rules: actions.map(({ gates, override, inheritGate }, index) => {
    const request = gates.map((use): PipelineStep => ({ use, mode: "request", failure: "closed" }));
    const steps = [...request, { handle: "origin" }];
    return {
      id: `r${index}`,
      condition: ruleSet.rules[index]?.condition ?? {},
      action: { type: "pipeline", steps, override, inheritGate },
    };
  }),
}));

function gatesOf({ action }: RuntimeRule): string[] {
  return action.type !== "pipeline"
    ? []
    : action.steps.flatMap((step) => "use" in step && step.failure === "closed" ? [step.use] : []);
}

Deno.test("checkGates() accepts no set in which a request bypasses a gate", () => {
  let compared = 0;
  fc.assert(
    fc.property(anyPipelines, fc.array(anyRequest, { minLength: 4 }), (ruleSet, requests) => {
      const runtime = normalizeRules(ruleSet);
      const placed = runtime.rules.map((rule, index) => ({ index, rule }));
      if (found(checkGates(placed, startPace())).length > 0) return;
      const compiled = compileRules(runtime);
      const aimed = runtime.rules.flatMap((rule) =>
        requests.map((request) => aimAt(request, rule.condition))
      );
      for (const request of [...requests, ...aimed]) {
        const facts = factsFromRequest(request);
        if ("rejected" in facts) continue;
        const { pipeline } = evaluateRules(compiled, facts, {
          fileExists: () => false,
          rateLimited: () => false,
        });
        const winner = pipeline && runtime.rules[pipeline.rule.index];
        if (winner?.action.type !== "pipeline" || !winner.action.inheritGate) continue;
        for (const other of runtime.rules) {
          if (new ConditionMatcher(other.condition).failing(facts) !== undefined) continue;
          compared += Number(other !== winner && gatesOf(other).length > 0);
          for (const gate of gatesOf(other)) {
            assert.ok(gatesOf(winner).includes(gate), JSON.stringify({ runtime, request }));
          }
        }
      }
    }),
    CHANCE,
  );
  assert.ok(compared > 0);
});

/** Pipelines with alternating gates. */
const ALTERNATING: Readonly<Record<string, (index: number) => Partial<RuleSet["rules"][number]>>> =
  {
    "one path": () => ({ condition: {} }),
    "nested paths": (index) => ({
      condition: { path: { type: "prefix", value: "/a".repeat(1 + index % 100) } },
    }),
  };

function stepsOf(kind: string, count: number): number {
  const runtime = normalizeRules({
    schemaVersion: "EDGE_RULE_SET_V1",
    rules: Array.from({ length: count }, (_, index) => ({
      id: `r${index}`,
      condition: {},
      ...ALTERNATING[kind]!(index),
      action: {
        type: "pipeline",
        steps: [
          { use: index % 2 === 0 ? "g" : "h", mode: "request", failure: "closed" },
          { handle: "origin" },
        ],
      },
    })),
  });
  let steps = 0;
  const placed = runtime.rules.map((rule, index) => ({ index, rule }));
  for (const finding of checkGates(placed, startPace())) steps += Number(!finding);
  return steps;
}

for (const kind of Object.keys(ALTERNATING)) {
  Deno.test(`checkGates() takes at most twice as many steps for twice as many rules: ${kind}`, () => {
    assert.ok(stepsOf(kind, 8000) < 2.2 * stepsOf(kind, 4000));
  });
}
